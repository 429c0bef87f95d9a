// Draws QR codes. The package qrcode-generator 2.0.4 takes 11 KB (gzip) for it, this 3 KB; every view of MCP that pays has it, too.

// picture returns a text as a QR code. It is dark on light whatever the page around it is.
export function picture(text, label = "QR code of the invoice") {
  const rows = qr(text);
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const size = rows.length + 8;
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join(""));
  svg.append(path);
  return svg;
}

// qr returns the modules of a QR code (ISO/IEC 18004) for an ASCII text, with error correction L: in the
// alphanumeric mode if its set has all characters, else byte by byte.
export function qr(text, wanted) {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
  const eccLength = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
  const blockCount = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
  const alignment = (v) => {
    if (v == 1) return [];
    const n = Math.floor(v / 7) + 2;
    const step = Math.ceil((v * 4 + 4) / (n * 2 - 2)) * 2;
    return [6, ...Array.from({ length: n - 1 }, (_, i) => v * 4 + 10 - step * (n - 2 - i))];
  };
  const capacity = (v) => {
    let bits = (16 * v + 128) * v + 64;
    if (v > 1) {
      const n = Math.floor(v / 7) + 2;
      bits -= (25 * n - 10) * n - 55;
      if (v > 6) bits -= 36;
    }
    return bits >> 3;
  };
  const dataLength = (v) => capacity(v) - eccLength[v - 1] * blockCount[v - 1];
  const bits = [];
  const put = (value, length) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  const dense = [...text].every((c) => alphabet.includes(c));
  const need = dense ? Math.floor(text.length / 2) * 11 + (text.length % 2) * 6 : text.length * 8;
  const lengthBits = (v) => (dense ? (v < 10 ? 9 : 11) : v < 10 ? 8 : 16);
  let v = 1;
  while (4 + lengthBits(v) + need > dataLength(v) * 8) if (++v > 20) throw new Error("the text is too long for a QR code");
  put(dense ? 2 : 4, 4);
  put(text.length, lengthBits(v));
  if (!dense) for (const c of text) put(c.charCodeAt(0), 8);
  else {
    for (let i = 0; i + 1 < text.length; i += 2) put(alphabet.indexOf(text[i]) * 45 + alphabet.indexOf(text[i + 1]), 11);
    if (text.length % 2) put(alphabet.indexOf(text.at(-1)), 6);
  }
  put(0, Math.min(4, dataLength(v) * 8 - bits.length));
  put(0, -bits.length & 7);
  const data = [];
  for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(""), 2));
  for (let pad = 0xec; data.length < dataLength(v); pad ^= 0xfd) data.push(pad);

  // Reed-Solomon over GF(256).
  const multiply = (a, b) => {
    let z = 0;
    for (let i = 7; i >= 0; i--) z = ((z << 1) ^ ((z >> 7) * 0x11d)) ^ (((b >> i) & 1) * a);
    return z;
  };
  const ecc = eccLength[v - 1];
  const divisor = Array(ecc).fill(0);
  divisor[ecc - 1] = 1;
  for (let i = 0, root = 1; i < ecc; i++, root = multiply(root, 2))
    for (let j = 0; j < ecc; j++) divisor[j] = multiply(divisor[j], root) ^ (j + 1 < ecc ? divisor[j + 1] : 0);
  const remainder = (block) => {
    const r = Array(ecc).fill(0);
    for (const b of block) {
      const factor = b ^ r.shift();
      r.push(0);
      divisor.forEach((c, i) => (r[i] ^= multiply(c, factor)));
    }
    return r;
  };
  const n = blockCount[v - 1];
  const short = Math.floor(capacity(v) / n) - ecc;
  const shorts = n - (capacity(v) % n);
  const blocks = Array.from({ length: n }, (_, i) => data.slice(i * short + Math.max(0, i - shorts), (i + 1) * short + Math.max(0, i + 1 - shorts)));
  const checks = blocks.map(remainder);
  const words = [];
  for (let i = 0; i <= short; i++) for (const b of blocks) if (i < b.length) words.push(b[i]);
  for (let i = 0; i < ecc; i++) for (const c of checks) words.push(c[i]);

  const size = v * 4 + 17;
  const grid = Array.from({ length: size }, () => Array(size).fill(null)); // null: for data
  const set = (x, y, dark) => x >= 0 && y >= 0 && x < size && y < size && (grid[y][x] = dark);
  for (let i = 0; i < size; i++) set(6, i, i % 2 == 0), set(i, 6, i % 2 == 0);
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]])
    for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) { const d = Math.max(Math.abs(dx), Math.abs(dy)); set(cx + dx, cy + dy, d != 2 && d != 4); }
  const at = alignment(v);
  at.forEach((y, i) => at.forEach((x, j) => {
    if ((i == 0 && j == 0) || (i == 0 && j == at.length - 1) || (i == at.length - 1 && j == 0)) return;
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) != 1);
  }));
  const check = (value, length, poly) => {
    let r = value;
    for (let i = 0; i < length; i++) r = (r << 1) ^ ((r >> (length - 1)) * poly);
    return (value << length) | r;
  };
  const format = (mask) => {
    const f = check((1 << 3) | mask, 10, 0x537) ^ 0x5412;
    const bit = (i) => ((f >> i) & 1) == 1;
    for (let i = 0; i <= 5; i++) set(8, i, bit(i));
    set(8, 7, bit(6)), set(8, 8, bit(7)), set(7, 8, bit(8));
    for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
    set(8, size - 8, true);
  };
  format(0);
  if (v > 6) {
    const b = check(v, 12, 0x1f25);
    for (let i = 0; i < 18; i++) {
      const a = size - 11 + (i % 3), c = Math.floor(i / 3), dark = ((b >> i) & 1) == 1;
      set(a, c, dark), set(c, a, dark);
    }
  }
  const free = [];
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right == 6) right = 5;
    for (let i = 0; i < size; i++) for (const x of [right, right - 1]) {
      const y = ((right + 1) & 2) == 0 ? size - 1 - i : i;
      if (grid[y][x] === null) free.push([x, y]);
    }
  }
  const masks = [(x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2];
  const draw = (mask) => {
    free.forEach(([x, y], i) => (grid[y][x] = (((words[i >> 3] ?? 0) >> (7 - (i & 7))) & 1) == 1 !== (masks[mask](x, y) == 0)));
    format(mask);
    return grid.map((row) => [...row]);
  };
  if (wanted !== undefined) return draw(wanted);
  // The mask whose neighbours differ most often is the easiest to read.
  const same = (g) => g.reduce((sum, row, y) => sum + row.filter((d, x) => d == row[x + 1] || d == g[y + 1]?.[x]).length, 0);
  return masks.map((_, mask) => draw(mask)).reduce((best, g) => (same(g) < same(best) ? g : best));
}
