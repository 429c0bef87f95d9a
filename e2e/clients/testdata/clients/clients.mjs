// Runs a client from npm against shapes, and prints a line of JSON for each: {"id", "status"} or {"id", "error"}.
// It runs beside node_modules. Arguments: the client, the server's address, paths of shapes, such as http/l402.
import { createRequire } from "node:module";

const [name, base, ...ids] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const say = console.log;
console.log = console.info = console.warn = console.error; // libraries print as they like

async function pay(invoice) {
  const res = await fetch(base + "/demo/pay", { method: "POST", body: JSON.stringify({ invoice }) });
  const answer = await res.json();
  if (!answer.preimage) throw new Error("wallet: " + answer.title);
  return answer.preimage;
}

const wallet = { enable: async () => {}, payInvoice: async (a) => ({ preimage: await pay(a.invoice ?? a) }), sendPayment: async (invoice) => ({ preimage: await pay(invoice) }) };
const key = "0x" + "11".repeat(32); // a throwaway key

async function lightning() {
  const { Method, Credential, z } = await import("mppx");
  const charge = Method.from({
    name: "lightning",
    intent: "charge",
    schema: {
      credential: { payload: z.object({ preimage: z.string() }) },
      request: z.object({ amount: z.string(), currency: z.string(), methodDetails: z.object({ invoice: z.string() }) }),
    },
  });
  return Method.toClient(charge, {
    async createCredential({ challenge }) {
      return Credential.serialize({ challenge, payload: { preimage: await pay(challenge.request.methodDetails.invoice) } });
    },
  });
}

async function x402(wrap, module) {
  const m = await import(module);
  const { privateKeyToAccount } = await import("viem/accounts");
  const { ExactEvmScheme } = await import("@x402/evm/exact/client");
  return m[wrap](...(wrap.includes("Axios") ? [(await import("axios")).default.create()] : [fetch]), {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(privateKeyToAccount(key)) }],
  });
}

// The wallets of version 1 are on one network: that of the shape.
const network = (url) => (url.endsWith("-base") ? "base" : "base-sepolia");

const alby = (f, module = "@getalby/lightning-tools") => async () => {
  const m = require(module);
  return async (url) => (module.endsWith("6") ? m[f](url, {}, { webln: wallet, wallet, store: new m.MemoryStorage() }) : m[f](url, {}, { wallet })).then((r) => r.status);
};

const axiosStatus = (api) => async (url) => {
  try {
    return (await api.get(url)).status;
  } catch (e) {
    if (e.response?.status === 402 && e.message === "Request failed with status code 402") return 402;
    throw e;
  }
};

const clients = {
  "alby-fetch402": alby("fetch402"),
  "alby-fetch-with-l402": alby("fetchWithL402"),
  "alby-fetch-with-mpp": alby("fetchWithMpp"),
  "alby-fetch-with-x402": alby("fetchWithX402"),
  "alby-6-fetch-with-l402": alby("fetchWithL402", "lightning-tools-6"),
  "lsat-js": async () => {
    const { Lsat } = require("lsat-js");
    return async (url) => {
      const first = await fetch(url);
      const token = Lsat.fromHeader(first.headers.get("www-authenticate"));
      token.setPreimage(await pay(token.invoice));
      return (await fetch(url, { headers: { authorization: token.toToken() } })).status;
    };
  },
  "l402-js": async () => {
    const { setupL402Interceptor, MemoryTokenStore } = require("l402");
    const axios = (await import("axios")).default;
    return async (url) => {
      const api = axios.create();
      const purse = { payInvoice: async (invoice) => { try { return { preimage: await pay(invoice), success: true }; } catch (e) { return { success: false, error: String(e) }; } } };
      setupL402Interceptor(api, purse, new MemoryTokenStore());
      return axiosStatus(api)(url);
    };
  },
  mppx: async () => {
    const { Mppx } = await import("mppx/client");
    const client = Mppx.create({ methods: [await lightning()], polyfill: false });
    return async (url) => (await client.fetch(url)).status;
  },
  "mppx-mcp": async () => {
    const { McpClient } = await import("mppx/mcp/client");
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const method = await lightning();
    return async (url) => {
      const client = new Client({ name: "matrix", version: "1.0.0" });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      McpClient.wrap(client, { methods: [method] });
      const result = await client.callTool({ name: "get_article", arguments: {} });
      return result.isError ? 402 : 200;
    };
  },
  "x402-fetch": async () => {
    const { wrapFetchWithPayment, createSigner } = await import("x402-fetch");
    return async (url) => (await wrapFetchWithPayment(fetch, await createSigner(network(url), key))(url)).status;
  },
  "x402-axios": async () => {
    const { withPaymentInterceptor, createSigner } = await import("x402-axios");
    const axios = (await import("axios")).default;
    return async (url) => axiosStatus(withPaymentInterceptor(axios.create(), await createSigner(network(url), key)))(url);
  },
  "x402-v2-fetch": async () => {
    const paying = await x402("wrapFetchWithPaymentFromConfig", "@x402/fetch");
    return async (url) => (await paying(url)).status;
  },
  "x402-v2-axios": async () => axiosStatus(await x402("wrapAxiosWithPaymentFromConfig", "@x402/axios")),
};

const run = await clients[name]();
for (const id of ids) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("time limit")), 10_000).unref());
  let line;
  try {
    line = { id, status: await Promise.race([run(`${base}/${id}`), late]) };
  } catch (e) {
    line = { id, error: String(e?.shortMessage ?? e?.message ?? e).split("\n")[0].slice(0, 200) };
  }
  say(JSON.stringify(line));
}
process.exit(0);
