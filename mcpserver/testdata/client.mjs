// A client of the TypeScript SDKs that uses everything the server offers, and prints what it saw.
// Arguments: the address, "v1" or "v2", and for v2 the negotiation, "legacy" or "auto".
const [url, sdk, mode] = process.argv.slice(2);

async function connect() {
  const info = { name: 'almanac-test', version: '1.0.0' };
  if (sdk === 'v1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

// pages gives the items of a list, page by page.
async function pages(client, name, args) {
  const ids = [];
  let cursor;
  let total = 0;
  for (let page = 0; page < 400; page++) {
    const r = await client.callTool({ name, arguments: cursor ? { ...args, cursor } : args });
    if (r.isError) throw new Error(r.content[0].text);
    const page = JSON.parse(r.content[0].text);
    total = page.total;
    ids.push(...page.entries.map((e) => JSON.stringify(e)));
    cursor = page.next_cursor;
    if (!cursor) return { total, seen: ids.length, distinct: new Set(ids).size };
  }
  throw new Error('the pages do not end');
}

const client = await connect();
const out = { version: client.getNegotiatedProtocolVersion?.(), server: client.getServerVersion()?.name, instructions: client.getInstructions()?.length };
out.tools = (await client.listTools()).tools.map((t) => t.name);
out.resources = (await client.listResources()).resources.map((r) => r.uri);
out.templates = (await client.listResourceTemplates()).resourceTemplates.length;
out.prompts = (await client.listPrompts()).prompts.map((p) => p.name);
out.entries = await pages(client, 'list_entries', { limit: 7 });
out.payments = await pages(client, 'list_entries', { category: 'payments', limit: 50 });
out.changes = await pages(client, 'list_changes', { limit: 50, since: '2026-11-21', change: ['fact', 'added', 'correction', 'wording', 'upkeep', 'reading'] });
out.called = {};
for (const [name, args] of Object.entries({
  list_categories: {},
  fetch: { ids: ['mcp-go-sdk'] },
  get_protocol_facts: { protocols: ['l402'] },
})) {
  const r = await client.callTool({ name, arguments: args });
  out.called[name] = !r.isError && JSON.parse(r.content[0].text) !== null;
}
out.read = 0;
for (const uri of [...out.resources, 'library://entry/mcp-go-sdk', 'library://protocol/l402', 'dataset://card/library', 'library://category/iot']) {
  const r = await client.readResource({ uri });
  if (r.contents[0].text.length > 0) out.read++;
}
out.prompt = (await client.getPrompt({ name: 'compare_protocols', arguments: { a: 'l402', b: 'x402' } })).messages.length;
const refused = await client.callTool({ name: 'list_entries', arguments: { category: 'lightning' } });
out.refused = refused.isError === true && refused.content[0].text.includes('bitcoin-lightning');
try {
  await client.readResource({ uri: 'library://entry/no-such' });
} catch (e) {
  out.missing = e.code;
}
if (out.tools.includes('search_passages')) {
  const paid = await client.callTool({ name: 'search_passages', arguments: { query: 'macaroon' } });
  out.paid = paid.isError === true && paid.structuredContent.payment_required.scheme;
}
await client.close();
console.log(JSON.stringify(out));
