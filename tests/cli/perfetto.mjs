// node perfetto.mjs FOLDER TRACE SQL: the rows of a query that Perfetto's trace processor answers about a trace, as JSON.
//
// FOLDER has its build for browsers, trace_processor.wasm, with the script that drives it in a worker (engine_bundle.node.js)
// and the decoder of its answers (engine.mjs). The script is given what a worker has.
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [folder, trace, sql] = process.argv.slice(2);
const {EngineBase} = await import(pathToFileURL(resolve(folder, 'engine.mjs')));

class FileRequest {
  open() {}
  send() {
    const bytes = readFileSync(join(folder, 'trace_processor.wasm'));
    this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  }
}

// The build is that with addresses of 32 bits, whatever this program could do: the script asks by compiling some bytes.
class Module extends WebAssembly.Module {
  constructor(bytes) {
    if (bytes.length < 100 && bytes[8] === 5) throw new Error('not here'); // a memory and nothing else
    super(bytes);
  }
}
const assembly = Object.assign(Object.create(WebAssembly), {Module, Instance: WebAssembly.Instance, RuntimeError: WebAssembly.RuntimeError});
const quiet = {log() {}, warn() {}, error() {}};
const worker = {location: {href: pathToFileURL(resolve(folder, 'x.js')).href}};
const script = readFileSync(join(folder, 'engine_bundle.node.js'), 'utf8');
new Function('self', 'WorkerGlobalScope', 'XMLHttpRequest', 'WebAssembly', 'console', 'process', 'window', script)(
    worker, Object, FileRequest, assembly, quiet, undefined, undefined);
await new Promise((done) => setTimeout(done, 100));

const port = {};
class Engine extends EngineBase {
  id = 'weir';
  mode = 'WASM';
  rpcSendRequestBytes(data) {
    port.onmessage({data});
  }
  [Symbol.dispose]() {}
}
const engine = new Engine();
port.postMessage = (data) => engine.onRpcResponseBytes(data);
worker.onmessage({data: port});

await engine.parse(new Uint8Array(readFileSync(trace)));
await engine.notifyEof();
const result = await engine.query(sql);
const rows = [];
for (const it = result.iter({}); it.valid(); it.next()) {
  rows.push(Object.fromEntries(result.columns().map((c) => {
    const v = it.get(c);
    return [c, typeof v === 'bigint' ? Number(v) : v];
  })));
}
console.log(JSON.stringify(rows));
process.exit(0);
