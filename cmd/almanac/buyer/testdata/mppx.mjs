// A seller built with mppx, the reference implementation of the Payment scheme, with a Lightning method. Invoices come from the address in the
// first argument, which also says whether one is paid. It prints its own address.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Method, z } from 'mppx';
import { Mppx } from 'mppx/server';

const [node] = process.argv.slice(2);
const charge = Method.from({
  name: 'lightning',
  intent: 'charge',
  schema: {
    credential: { payload: z.object({ preimage: z.string() }) },
    request: z.object({
      amount: z.string(),
      currency: z.string(),
      methodDetails: z.optional(z.object({ invoice: z.string(), paymentHash: z.string() })),
    }),
  },
});
const consumed = new Set();
const lightning = Method.toServer(charge, {
  async request({ credential, request }) {
    if (credential) return credential.challenge.request;
    const res = await fetch(`${node}/invoice?sats=${request.amount}`);
    return { ...request, methodDetails: await res.json() };
  },
  stableBinding: (r) => ({ amount: r.amount, currency: r.currency }),
  async verify({ credential }) {
    const { preimage } = credential.payload;
    const { paymentHash } = credential.challenge.request.methodDetails;
    const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
    if (hash !== paymentHash || consumed.has(hash)) throw new Error('not paid, or used before');
    consumed.add(hash);
    return { method: 'lightning', status: 'success', timestamp: new Date().toISOString(), reference: hash };
  },
});
const mppx = Mppx.create({ methods: [lightning], realm: 'mppx.test', secretKey: randomBytes(32).toString('base64') });
const sell = mppx.charge({ amount: '7', currency: 'sat' });
const server = createServer(async (req, res) => {
  try {
    const result = await sell(new Request(`http://${req.headers.host}${req.url}`, { method: req.method, headers: req.headers }));
    const out = result.status === 402 ? result.challenge : result.withReceipt(Response.json({ served: req.url }));
    res.writeHead(out.status, Object.fromEntries(out.headers));
    res.end(await out.text());
  } catch (e) {
    console.error(e);
    res.writeHead(500);
    res.end();
  }
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
