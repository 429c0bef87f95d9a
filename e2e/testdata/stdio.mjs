// A host of the TypeScript SDKs that starts "almanac mcp" and does what a model would: looks at the tools, searches, reads a resource.
// Arguments: "v1" or "v2", then the command and its arguments. It prints what it saw.
const [sdk, command, ...args] = process.argv.slice(2);
const asked = [];
const info = { name: 'almanac-test', version: '1.0.0' };
const capabilities = { elicitation: {} };
let client;
let transport;
const env = Object.fromEntries(Object.entries(process.env).filter(([k]) => k.startsWith('ALMANAC') || k.startsWith('XDG') || k === 'HOME' || k === 'PATH'));
const params = { command, args, env, stderr: 'inherit' };
if (sdk === 'v1') {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  client = new Client(info, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, async (r) => {
    asked.push(r.params.message);
    return { action: 'decline' };
  });
  transport = new StdioClientTransport(params);
} else {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  client = new Client(info, { capabilities, versionNegotiation: { mode: 'auto' } });
  client.setRequestHandler('elicitation/create', async (r) => {
    asked.push(r.params.message);
    return { action: 'decline' };
  });
  transport = new StdioClientTransport(params);
}
await client.connect(transport);
const tools = (await client.listTools()).tools;
const out = { tools: tools.map((t) => t.name), arguments: Object.keys(tools.find((t) => t.name === 'search_passages').inputSchema.properties) };
out.resources = (await client.listResources()).resources.length;
out.free = !(await client.callTool({ name: 'list_categories', arguments: {} })).isError;
const text = (r) => r.content.map((c) => c.text).join('\n');
out.searches = [];
for (const query of ['robot', 'vehicle']) {
  const r = await client.callTool({ name: 'search_passages', arguments: { query } });
  out.searches.push({ failed: !!r.isError, text: text(r), all: JSON.stringify(r) });
}
out.asked = asked;
await client.close();
console.log(JSON.stringify(out));
