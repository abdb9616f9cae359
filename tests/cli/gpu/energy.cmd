weir run gather --input test --gpu fermi-s3 --scheme pc-bypass | grep '^L1'
weir run gather --input test --gpu pascal-s1 --scheme two-level | grep -A3 '^L1'
weir run gather --input test --gpu fermi-s3 --set energy.data_nj=0 --set energy.static_mw=0 | grep '^L1 e'
for scheme in baseline bypass-all decoupled; do
  weir run gather --input test --gpu fermi-s3 --scheme $scheme --check --json - | python3 -c "
import json,sys
t = json.load(sys.stdin)['runs'][0]['launches'][0]['timing']
e, l1, sm = t['energy'], t['l1'], t['sm']
stalls = sum(v for k, v in sm.items() if k.startswith('stall_') and k != 'stall_probed')
print('$scheme', e['tag_accesses'] == l1['probes'] + sm['stall_probed'], sm['stall_probed'] == stalls, abs(e['total_nj'] - e['dynamic_nj'] - e['static_nj']) < 1e-3,
      e['data_accesses'] == l1['data_reads'] + l1['fills'] + l1['data_writes'], t['storage'])"
done
