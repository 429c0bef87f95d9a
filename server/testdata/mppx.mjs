// Buys with mppx, the reference implementation of the Payment scheme, over HTTP and MCP, with a Lightning method that pays at the demo's wallet.
// Arguments: the address of the service and the folder of the MCP SDKs. It prints what it got as JSON.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Credential, Method, Receipt, z } from 'mppx';
import { Mppx } from 'mppx/client';
import { McpClient } from 'mppx/mcp/client';

const [base, sdks] = process.argv.slice(2);
const payments = [];
const charge = Method.from({
  name: 'lightning',
  intent: 'charge',
  schema: {
    credential: { payload: z.object({ preimage: z.string() }) },
    request: z.object({ amount: z.string(), currency: z.string(), methodDetails: z.object({ invoice: z.string(), paymentHash: z.string() }) }),
  },
});
const lightning = Method.toClient(charge, {
  async createCredential({ challenge }) {
    const { invoice } = challenge.request.methodDetails;
    const res = await fetch(`${base}/demo/pay`, { method: 'POST', body: JSON.stringify({ invoice }) });
    payments.push(challenge.id);
    return Credential.serialize({ challenge, payload: { preimage: (await res.json()).preimage } });
  },
});

const out = { mcp: {} };
const mppx = Mppx.create({ methods: [lightning], polyfill: false });
const res = await mppx.fetch(`${base}/v1/search?q=macaroon`);
const receipt = res.headers.get('payment-receipt');
out.http = { status: res.status, balance: res.headers.get('x-credit-balance'), receipt: receipt && Receipt.deserialize(receipt).status };

async function load(path) {
  return import(pathToFileURL(join(sdks, 'node_modules', path)));
}

async function search(name, client) {
  McpClient.wrap(client, { methods: [lightning] });
  const { content, receipt, isError } = await client.callTool({ name: 'search_passages', arguments: { query: 'macaroon' } });
  out.mcp[name] = { failed: isError === true, text: content[0].text, receipt: receipt?.status, version: client.getNegotiatedProtocolVersion?.() };
  await client.close();
}

const info = { name: 'test', version: '1.0.0' };
{
  const { Client } = await load('@modelcontextprotocol/sdk/dist/esm/client/index.js');
  const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/dist/esm/client/streamableHttp.js');
  const client = new Client(info);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`)));
  await search('v1', client);
  const paying = new Client(info); // pays below the protocol: its fetch reads the challenge, and says that it knows the scheme
  await paying.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers: { 'Accept-Payment': 'lightning/charge' } } }));
  await search('v1 with Accept-Payment', paying);
}
{
  const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client/dist/index.mjs');
  const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`)));
  await search('v2', client);
}
out.payments = payments.length;
console.log(JSON.stringify(out));
process.exit(); // which connections that are kept open would delay
