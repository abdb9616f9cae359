// The model that the kernel and its CPU reference share: the rates of change of a heart muscle cell
// in single precision, a membrane with three compartments behind it (46 states), and calmodulin in
// each of them (15 states). Of the form of the models of Shannon, Bers and others, with rounded
// constants; states are in millimoles per litre, millivolts and milliseconds.
#ifndef WEIR_WORKLOADS_MYOCYTE_CELL_H
#define WEIR_WORKLOADS_MYOCYTE_CELL_H

#include "../suite.h"

#define STATES        91
#define PARAMETERS    18
#define CALMODULIN(n) (46 + 15 * (n)) // first state of compartment n = 0, 1, 2

// 1 / (1 + e^((v - middle) / width))
SUITE_FN float myocyte_gate(float v, float middle, float width) {
  return SUITE_DIV(1.0f, 1.0f + suite_expf(SUITE_DIV(v - middle, width)));
}

// a x / (1 - e^(-b x))
SUITE_FN float myocyte_rise(float a, float b, float x) {
  return SUITE_DIV(a * x, 1.0f - suite_expf(-b * x));
}

// Rate of a binding: on * partners - off * bound.
SUITE_FN float myocyte_flux(float on, float partners, float off, float bound) {
  return fmaf(on, partners, -(off * bound));
}

SUITE_FN float myocyte_cube(float x) {
  return x * x * x;
}

// Current through a channel of an ion: of what is inside and outside, by the constant-field
// equation; e is e^(z v F / R T).
SUITE_FN float myocyte_field(float permeability, float x, float e, float inside, float outside) {
  return SUITE_DIV(permeability * x * fmaf(inside, e, -outside), e - 1.0f);
}

// Exchange of three sodium against one calcium.
SUITE_FN float myocyte_exchange(float e_up, float e_down, float na, float ca) {
  float active = SUITE_DIV(1.0f, 1.0f + myocyte_cube(SUITE_DIV(2.6e-4f, ca)));
  float na3 = myocyte_cube(na), out3 = 2.744e6f;
  float forth = e_up * na3 * 1.8f, back = e_down * out3 * ca;
  float base = 3.6e-3f * out3 * (1.0f + myocyte_cube(SUITE_DIV(na, 12.3f)));
  base += 6.7e5f * ca + 1857.0f * 1.8f * (1.0f + SUITE_DIV(ca, 3.6e-3f));
  base += (1.3f + 1.8f) * na3 + out3 * ca;
  return SUITE_DIV(active * (forth - back), base * (1.0f + 0.27f * e_down));
}

// Hill's equation.
SUITE_FN float myocyte_pump(float ca, float half, float power) {
  float p = suite_powf(ca, power);
  return SUITE_DIV(p, suite_powf(half, power) + p);
}

SUITE_FN void myocyte_membrane(float time, float *y, float *rate, float *parameter) {
  float cycle = parameter[15];
  float m = y[0], h = y[1], j = y[2], d = y[3], f = y[4], shut_n = y[5], shut_s = y[6];
  float slow_x = y[7], slow_y = y[8], fast_x = y[9], fast_y = y[10], kr = y[11], ks = y[12];
  float rested = y[13], open = y[14], idle = y[15], sodium_n = y[16], sodium_s = y[17];
  float low = y[18], high_ca = y[19], high_mg = y[20], myosin_ca = y[22], myosin_mg = y[23];
  float store_bound = y[24], low_n = y[25], low_s = y[26], high_n = y[27], high_s = y[28];
  float csqn = y[29], store = y[30], na_n = y[31], na_s = y[32], na = y[33], k = y[34];
  float ca_n = y[35], ca_s = y[36], ca = y[37], v = y[38], slow_r = y[39];
  const float rt = 26.7f, near = 0.11f, far = 0.89f; // shares of the cleft and of the rest

  // Potentials of equilibrium.
  float e_na_n = rt * suite_logf(SUITE_DIV(140.0f, na_n));
  float e_na_s = rt * suite_logf(SUITE_DIV(140.0f, na_s));
  float e_k = rt * suite_logf(SUITE_DIV(5.4f, k));
  float e_ca_n = 0.5f * rt * suite_logf(SUITE_DIV(1.8f, ca_n));
  float e_ca_s = 0.5f * rt * suite_logf(SUITE_DIV(1.8f, ca_s));
  float e_cl = -61.5f;

  // Sodium: the fast current, the background, the pump against potassium.
  float am = myocyte_rise(0.32f, 0.1f, v + 47.1f), bm = 0.08f * suite_expf(v * -0.0909f);
  float ah, bh, aj, bj;
  if (v >= -40.0f) {
    ah = 0.0f;
    aj = 0.0f;
    bh = 7.7f * myocyte_gate(v, -10.7f, -11.1f);
    bj = 0.3f * suite_expf(-2.5e-7f * v) * myocyte_gate(v, -32.0f, -10.0f);
  } else {
    ah = 0.135f * suite_expf((v + 80.0f) * -0.147f);
    bh = 3.56f * suite_expf(0.079f * v) + 3.1e5f * suite_expf(0.35f * v);
    aj = (-1.27e5f * suite_expf(0.2444f * v) - 3.5e-5f * suite_expf(-0.0439f * v)) * (v + 37.8f);
    aj = aj * myocyte_gate(v, -79.2f, 3.2f);
    bj = 0.12f * suite_expf(-0.0105f * v) * myocyte_gate(v, -40.1f, -7.26f);
  }
  rate[0] = myocyte_flux(am, 1.0f - m, bm, m);
  rate[1] = myocyte_flux(ah, 1.0f - h, bh, h);
  rate[2] = myocyte_flux(aj, 1.0f - j, bj, j);
  float fast = 16.0f * myocyte_cube(m) * h * j + 3.0e-4f;
  float i_na_n = near * fast * (v - e_na_n), i_na_s = far * fast * (v - e_na_s);
  float pump = 1.0f + 0.1245f * suite_expf(SUITE_DIV(-0.1f * v, rt));
  pump = SUITE_DIV(1.49f, pump + 0.0365f * suite_expf(SUITE_DIV(-v, rt)));
  float ratio_n = SUITE_DIV(11.0f, na_n), ratio_s = SUITE_DIV(11.0f, na_s);
  ratio_n *= ratio_n;
  ratio_s *= ratio_s;
  float pump_n = SUITE_DIV(near * pump, fmaf(ratio_n, ratio_n, 1.0f));
  float pump_s = SUITE_DIV(far * pump, fmaf(ratio_s, ratio_s, 1.0f));

  // Potassium: rapid, slow, plateau, transient outward (slow and fast), rectifying.
  float pace =
      myocyte_rise(1.38e-3f, 0.123f, v + 7.0f) + myocyte_rise(-6.1e-4f, -0.145f, v + 10.0f);
  rate[11] = (myocyte_gate(v, -50.0f, -7.5f) - kr) * pace;
  float i_k = 0.03f * kr * myocyte_gate(v, -33.0f, 22.4f) * (v - e_k);
  float p_n = 3.0f - 0.434f * suite_logf(ca_n), p_s = 3.0f - 0.434f * suite_logf(ca_s);
  float g_n = 0.07f * (0.057f + 0.19f * myocyte_gate(p_n, 7.2f, 0.6f));
  float g_s = 0.07f * (0.057f + 0.19f * myocyte_gate(p_s, 7.2f, 0.6f));
  float e_ks = rt * suite_logf(SUITE_DIV(5.4f + 0.018f * 140.0f, k + 0.018f * na));
  pace = myocyte_rise(7.2e-5f, 0.148f, v + 30.0f) + myocyte_rise(-1.3e-4f, -0.0687f, v + 30.0f);
  rate[12] = (myocyte_gate(v, 1.5f, -16.7f) - ks) * pace;
  i_k += (near * g_n * kr * kr + far * g_s * ks * ks) * (v - e_ks);
  i_k += 1.0e-3f * myocyte_gate(v, 44.8f, -5.98f) * (v - e_k);
  float x_end = myocyte_gate(v, -3.0f, -15.0f), y_end = myocyte_gate(v, -33.5f, 10.0f);
  float late = myocyte_gate(v, -60.0f, 10.0f);
  rate[7] = SUITE_DIV(x_end - slow_x, 9.0f * myocyte_gate(v, -3.0f, 15.0f) + 0.5f);
  rate[8] = SUITE_DIV(y_end - slow_y, 3000.0f * late + 30.0f);
  rate[39] = SUITE_DIV(y_end - slow_r, 2800.0f * late + 220.0f);
  rate[9] = SUITE_DIV(x_end - fast_x, 3.5f * suite_expf(v * v * -1.11e-3f) + 1.5f);
  rate[10] = SUITE_DIV(y_end - fast_y, 20.0f * y_end + 20.0f);
  i_k += (0.06f * slow_x * fmaf(0.5f, slow_r, slow_y) + 0.02f * fast_x * fast_y) * (v - e_k);
  float w = v - e_k;
  float aki = 1.02f * myocyte_gate(w, 59.2f, 4.19f);
  float bki = 0.49f * suite_expf(0.0803f * (w + 5.5f)) + suite_expf(0.0618f * (w - 594.0f));
  bki = bki * myocyte_gate(w, -4.75f, -1.94f);
  i_k += 0.9f * SUITE_DIV(aki, aki + bki) * w;

  // Chloride.
  float chloride = near * SUITE_DIV(0.11f, 1.0f + SUITE_DIV(0.1f, ca_n));
  chloride += far * SUITE_DIV(0.11f, 1.0f + SUITE_DIV(0.1f, ca_s)) + 9.0e-3f;
  float i_cl = chloride * (v - e_cl);

  // Calcium: the slow channel (which lets sodium and potassium through as well), the exchanger, the
  // pump, the background.
  float d_end = myocyte_gate(v, -14.5f, -6.0f), u = v + 14.5f;
  float tau = SUITE_DIV(d_end * (1.0f - suite_expf(u * -0.167f)), 0.035f * u);
  rate[3] = SUITE_DIV(d_end - d, tau);
  float f_end = myocyte_gate(v, -35.1f, 3.6f) + 0.6f * myocyte_gate(v, 50.0f, -20.0f);
  rate[4] = (f_end - f) * (0.0197f * suite_expf(u * u * -1.14e-3f) + 0.02f);
  rate[5] = myocyte_flux(1.7f, ca_n * (1.0f - shut_n), 0.0119f, shut_n);
  rate[6] = myocyte_flux(1.7f, ca_s * (1.0f - shut_s), 0.0119f, shut_s);
  float x = SUITE_DIV(v, rt), e1 = suite_expf(x), e2 = suite_expf(2.0f * x), gate = 0.45f * d * f;
  float free_n = 0.9f * (1.0f - shut_n) * gate, free_s = 0.1f * (1.0f - shut_s) * gate;
  float i_ca_n = free_n * myocyte_field(208.0f, x, e2, 0.341f * ca_n, 0.614f);
  float i_ca_s = free_s * myocyte_field(208.0f, x, e2, 0.341f * ca_s, 0.614f);
  i_k += (free_n + free_s) * myocyte_field(0.026f, x, e1, 0.75f * k, 4.05f);
  i_na_n += free_n * myocyte_field(1.45e-3f, x, e1, 0.75f * na_n, 105.0f);
  i_na_s += free_s * myocyte_field(1.45e-3f, x, e1, 0.75f * na_s, 105.0f);
  float e_up = suite_expf(0.35f * x), e_down = suite_expf(-0.65f * x);
  float ncx_n = near * 9.0f * myocyte_exchange(e_up, e_down, na_n, ca_n);
  float ncx_s = far * 9.0f * myocyte_exchange(e_up, e_down, na_s, ca_s);
  float out_n = near * 0.067f * myocyte_pump(ca_n, 5.0e-4f, 1.6f);
  float out_s = far * 0.067f * myocyte_pump(ca_s, 5.0e-4f, 1.6f);
  float leak_n = near * 2.5e-4f * (v - e_ca_n), leak_s = far * 2.5e-4f * (v - e_ca_s);
  rate[42] = -3.3e-4f * (i_ca_n + i_ca_s);
  rate[44] = 6.6e-4f * (ncx_n + ncx_s);
  rate[43] = -3.3e-4f * (out_n + out_s);
  rate[45] = -3.3e-4f * (leak_n + leak_s);

  // The store: release, uptake, leak.
  float feed = 15.0f - SUITE_DIV(14.0f, 1.0f + suite_powf(SUITE_DIV(0.45f, store), 2.5f));
  float to_open = SUITE_DIV(10.0f, feed) * ca_n * ca_n, to_idle = 0.5f * feed * ca_n;
  float refractory = 1.0f - rested - open - idle;
  float opening = myocyte_flux(to_open, rested, 0.06f, open);
  float idling = myocyte_flux(to_idle, open, 0.005f, idle);
  rate[13] = myocyte_flux(0.005f, refractory, to_idle, rested) - opening;
  rate[14] = opening - idling;
  rate[15] = idling - myocyte_flux(0.06f, idle, to_open, refractory);
  float release = 25.0f * open * (store - ca_n), leak = 5.3e-6f * (store - ca_n);
  float up = suite_powf(SUITE_DIV(ca, 2.46e-4f), 1.787f);
  float down = suite_powf(SUITE_DIV(store, 1.7f), 1.787f);
  float uptake = SUITE_DIV(2.86e-4f * (up - down), 1.0f + up + down);

  // What binds sodium and calcium.
  float bound_n = myocyte_flux(1.0e-4f, na_n * (7.56f - sodium_n), 1.0e-3f, sodium_n);
  float bound_s = myocyte_flux(1.0e-4f, na_s * (1.65f - sodium_s), 1.0e-3f, sodium_s);
  rate[16] = bound_n;
  rate[17] = bound_s;
  float troponin = 0.14f - high_ca - high_mg, myosin = 0.14f - myosin_ca - myosin_mg;
  float b0 = myocyte_flux(32.7f, ca * (0.07f - low), 0.0196f, low);
  float b1 = myocyte_flux(2.37f, ca * troponin, 3.2e-5f, high_ca);
  float b2 = myocyte_flux(3.0e-3f, troponin, 3.33e-3f, high_mg);
  float b3 = myocyte_flux(13.8f, ca * myosin, 4.6e-4f, myosin_ca);
  float b4 = myocyte_flux(0.0157f, myosin, 5.7e-5f, myosin_mg);
  float b5 = myocyte_flux(100.0f, ca * (0.0171f - store_bound), 0.06f, store_bound);
  rate[18] = b0;
  rate[19] = b1;
  rate[20] = b2;
  rate[21] = 0.0f;
  rate[22] = b3;
  rate[23] = b4;
  rate[24] = b5;
  float c0 = myocyte_flux(100.0f, ca_n * (0.557f - low_n), 1.3f, low_n);
  float c1 = myocyte_flux(100.0f, ca_s * (1.21f - low_s), 1.3f, low_s);
  float c2 = myocyte_flux(100.0f, ca_n * (0.199f - high_n), 0.03f, high_n);
  float c3 = myocyte_flux(100.0f, ca_s * (0.434f - high_s), 0.03f, high_s);
  rate[25] = c0;
  rate[26] = c1;
  rate[27] = c2;
  rate[28] = c3;
  float c4 = myocyte_flux(100.0f, store * (2.7f - csqn), 65.0f, csqn);
  rate[29] = c4;

  // Concentrations, and the potential.
  rate[30] = 18.6f * (uptake - leak) - release - c4;
  float na_tot_n = i_na_n + 3.0f * (ncx_n + pump_n), na_tot_s = i_na_s + 3.0f * (ncx_s + pump_s);
  rate[31] = -0.0805f * na_tot_n + 1.03e-3f * (na_s - na_n) - bound_n;
  rate[32] = -2.17e-3f * na_tot_s + 2.8e-5f * (na_n - na_s) + 2.5e-3f * (na - na_s) - bound_s;
  rate[33] = 7.6e-5f * (na_s - na);
  rate[34] = 0.0f;
  float ca_tot_n = i_ca_n + leak_n + out_n - 2.0f * ncx_n;
  float ca_tot_s = i_ca_s + leak_s + out_s - 2.0f * ncx_s;
  rate[35] =
      -0.0402f * ca_tot_n + 0.0463f * (ca_s - ca_n) - c0 - c2 + 64.9f * release + 1206.0f * leak;
  rate[36] = -1.08e-3f * ca_tot_s + 1.25e-3f * (ca_n - ca_s) + 5.64e-3f * (ca - ca_s) - c1 - c3;
  rate[37] = -uptake - (b0 + b1 + b2 + b3 + b4 + b5) + 1.74e-4f * (ca_s - ca);
  float since = time - cycle * (float)(int)SUITE_DIV(time, cycle);
  float stimulus = since <= 5.0f ? 9.5f : 0.0f;
  i_k -= 2.0f * (pump_n + pump_s);
  rate[38] = stimulus - (na_tot_n + na_tot_s + i_cl + ca_tot_n + ca_tot_s + i_k);
  rate[40] = 0.0f;
  rate[41] = 0.0f;
}

// Calmodulin with none, two or four calcium, free, on its buffer, on its kinase and on calcineurin.
// `total` are the compartment's five amounts, `flow` is the calcium that all this takes.
SUITE_FN void myocyte_calmodulin(float *y, float *rate, float *parameter, float *total, float *flow,
                                 float calcium) {
  float buffer = total[1], kinase = total[2], calcineurin = total[3], phosphatase = total[4];
  float potassium = parameter[16], magnesium = parameter[17];
  float c0 = y[0], c2 = y[1], c4 = y[2], b0 = y[3], b2 = y[4], b4 = y[5];
  float k2 = y[6], k4 = y[7], t4 = y[8], t2 = y[9], act = y[10];
  float n = y[11], n0 = y[12], n2 = y[13], n4 = y[14];
  float kd02, kd24;
  if (magnesium <= 1.0f) {
    kd02 = 1.0f + SUITE_DIV(potassium, 0.94f) - SUITE_DIV(magnesium, 0.012f);
    kd02 = 0.0025f * kd02 * (1.0f + SUITE_DIV(potassium, 8.1f) + SUITE_DIV(magnesium, 0.022f));
    kd24 = 1.0f + SUITE_DIV(potassium, 0.64f) + SUITE_DIV(magnesium, 0.0014f);
    kd24 = 0.128f * kd24 * (1.0f + SUITE_DIV(potassium, 13.0f) - SUITE_DIV(magnesium, 0.153f));
  } else {
    float more = magnesium - 1.0f;
    kd02 = SUITE_DIV(potassium, 0.94f) - 82.3f + SUITE_DIV(more, 0.06f);
    kd02 = 0.0025f * kd02 * (46.5f + SUITE_DIV(potassium, 8.1f) + SUITE_DIV(more, 0.068f));
    kd24 = SUITE_DIV(potassium, 0.64f) + 715.0f + SUITE_DIV(more, 0.005f);
    kd24 = 0.128f * kd24 * (SUITE_DIV(potassium, 13.0f) - 5.5f + SUITE_DIV(more, 0.15f));
  }
  float square = calcium * calcium;
  float up02 = SUITE_DIV(10.0f, kd02) * square, up24 = SUITE_DIV(500.0f, kd24) * square;

  float f02 = myocyte_flux(up02, c0, 10.0f, c2), f24 = myocyte_flux(up24, c2, 500.0f, c4);
  float left = buffer - b0 - b2 - b4;
  float g02 = myocyte_flux(up02, b0, 0.1f, b2), g24 = myocyte_flux(up24, b2, 500.0f, b4);
  float g0 = myocyte_flux(0.007f, c0 * left, 1.4e-3f, b0);
  float g2 = myocyte_flux(0.007f, c2 * left, 1.4e-5f, b2);
  float g4 = myocyte_flux(0.007f, c4 * left, 1.4e-5f, b4);
  float empty = calcineurin - n - n0 - n2 - n4;
  float h = myocyte_flux(2.0f, square * empty, 1.0f, n);
  float h02 = myocyte_flux(up02, n0, 0.0606f, n2), h24 = myocyte_flux(up24, n2, 3.99e-3f, n4);
  float h0 = myocyte_flux(46.0f, c0 * n, 538.0f, n0);
  float h2 = myocyte_flux(46.0f, c2 * n, 3.26f, n2);
  float h4 = myocyte_flux(46.0f, c4 * n, 1.3e-3f, n4);
  float inactive = 1.0f - k2 - k4 - t4 - t2 - act;
  float i2 = myocyte_flux(65.7f, c2 * inactive, 328.0f, k2);
  float i24 = myocyte_flux(up24, k2, 3.35f, k4);
  float i4 = myocyte_flux(65.7f, c4 * inactive, 2.2f, k4);
  float on = k4 + t4 + t2 + act;
  float trap = on * (0.055f + on * (0.0074f + 0.015f * on));
  float cut = 1.72f * phosphatase;
  float j4 = fmaf(trap, k4, -SUITE_DIV(cut * t4, 11.5f + kinase * t4));
  float j24 = myocyte_flux(3.35e-3f, t4, up24, t2);
  float a4 = myocyte_flux(2.2e-3f, t4, 65.7f * c4, act);
  float a2 = myocyte_flux(328.0f, t2, 65.7f * c2, act);
  float j2 = SUITE_DIV(cut * t2, 11.5f + kinase * t2);
  float off = SUITE_DIV(cut * act, 11.5f + kinase * act);

  rate[0] = 1.0e-3f * (-f02 - g0 - h0);
  rate[1] = 1.0e-3f * (f02 - f24 - g2 - h2 + kinase * (a2 - i2));
  rate[2] = 1.0e-3f * (f24 - g4 - h4 + kinase * (a4 - i4));
  rate[3] = 1.0e-3f * (g0 - g02);
  rate[4] = 1.0e-3f * (g02 + g2 - g24);
  rate[5] = 1.0e-3f * (g24 + g4);
  rate[6] = 1.0e-3f * (i2 - i24 + j2);
  rate[7] = 1.0e-3f * (i4 + i24 - j4);
  rate[8] = 1.0e-3f * (j4 - a4 - j24);
  rate[9] = 1.0e-3f * (j24 - a2 - j2);
  rate[10] = 1.0e-3f * (a4 + a2 - off);
  rate[11] = 1.0e-3f * (h - h0 - h2 - h4);
  rate[12] = 1.0e-3f * (h0 - h02);
  rate[13] = 1.0e-3f * (h2 + h02 - h24);
  rate[14] = 1.0e-3f * (h4 + h24);
  *flow = 2.0e-3f * (kinase * (j24 - i24) - (f02 + f24 + g02 + g24 + h + h02 + h24));
}

#endif
