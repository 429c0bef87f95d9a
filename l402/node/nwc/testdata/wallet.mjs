// A Nostr relay (@nostr-relay/core) and behind it a wallet service (@getalby/sdk), neither of them written here. Invoices come from the test, over HTTP.
//
// In the environment: CACHE, where node_modules is; LIGHTNING, the address that makes invoices; PORT of the relay; WALLET_SECRET and CLIENT_PUBKEY in hex.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.env.CACHE + "/package.json"));
const { WebSocketServer, WebSocket } = require("ws");
globalThis.WebSocket = WebSocket;
const { NostrRelay } = require("@nostr-relay/core");
const { EventRepository } = require("@nostr-relay/common");
const { NWCWalletService, NWCWalletServiceKeyPair } = require("@getalby/sdk/nwc");

class Memory extends EventRepository {
  events = [];
  isSearchSupported() { return false; }
  async upsert(event) {
    const known = this.events.some((e) => e.id === event.id);
    if (!known) this.events.push(event);
    return { isDuplicate: known };
  }
  async find(f) {
    return this.events.filter((e) => (!f.ids || f.ids.includes(e.id)) && (!f.kinds || f.kinds.includes(e.kind)) && (!f.authors || f.authors.includes(e.pubkey)) &&
      (!f["#e"] || e.tags.some((t) => t[0] === "e" && f["#e"].includes(t[1])))).slice(0, f.limit ?? 1000);
  }
  async destroy() {}
}

const relay = new NostrRelay(new Memory());
const server = new WebSocketServer({ host: "127.0.0.1", port: Number(process.env.PORT) });
server.on("connection", (client) => {
  relay.handleConnection(client);
  client.on("message", (text) => relay.handleMessage(client, JSON.parse(text)).catch(() => {}));
  client.on("close", () => relay.handleDisconnect(client));
  client.on("error", () => client.close());
});
await new Promise((resolve) => server.on("listening", resolve));
const address = `ws://127.0.0.1:${server.address().port}`;

async function ask(path, body) {
  const res = await fetch(process.env.LIGHTNING + path, { method: "POST", body: JSON.stringify(body) });
  if (!res.ok) return { result: undefined, error: { code: "INTERNAL", message: await res.text() } };
  return { result: await res.json(), error: undefined };
}

const service = new NWCWalletService({ relayUrls: [address] });
const pair = new NWCWalletServiceKeyPair(process.env.WALLET_SECRET, process.env.CLIENT_PUBKEY);
await service.publishWalletServiceInfoEvent(process.env.WALLET_SECRET, ["make_invoice", "lookup_invoice", "get_info"], []);
await service.subscribe(pair, {
  getInfo: async () => ({ result: { methods: ["make_invoice", "lookup_invoice", "get_info"], network: "simnet", alias: "test", color: "", pubkey: "", block_height: 1, block_hash: "" }, error: undefined }),
  makeInvoice: (request) => ask("/make", request),
  lookupInvoice: (request) => ask("/lookup", request),
});
console.log(JSON.stringify({ address, wallet: pair.walletPubkey }));
