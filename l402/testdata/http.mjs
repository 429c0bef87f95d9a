// Buys and searches with one of the clients from npm.
// Arguments: the client, the folder its package is in, the address to search, the address of the wallet, and Accept-Payment, if any.
// It searches twice and prints {"statuses": [...], "payments": n, "authorization": "..."} as JSON.
import { createRequire } from "node:module";

const [client, modules, url, wallet, accept] = process.argv.slice(2);
const init = accept ? { headers: { "Accept-Payment": accept } } : {};
const require = createRequire(modules + "/");
let payments = 0;

async function pay(invoice) {
  payments++;
  const res = await fetch(wallet, { method: "POST", body: JSON.stringify({ invoice }) });
  const { preimage } = await res.json();
  return preimage;
}

const purse = { payInvoice: async ({ invoice }) => ({ preimage: await pay(invoice) }) };

async function alby(name) {
  const buy = require("@getalby/lightning-tools")[name];
  const first = await buy(url, init, { wallet: purse });
  const credentials = first.payment?.credentials;
  if (!credentials) return { statuses: [first.status] };
  const second = await buy(url, init, { wallet: purse, credentials });
  return { statuses: [first.status, second.status], authorization: credentials.value };
}

async function lsat() {
  const { Lsat } = require("lsat-js");
  const challenge = await fetch(url);
  if (challenge.status !== 402) return { statuses: [challenge.status] };
  const token = Lsat.fromHeader(challenge.headers.get("www-authenticate"));
  token.setPreimage(await pay(token.invoice));
  const authorization = token.toToken();
  const statuses = [];
  for (let i = 0; i < 2; i++) statuses.push((await fetch(url, { headers: { authorization } })).status);
  return { statuses, authorization };
}

let result;
try {
  result = client === "lsat-js" ? await lsat() : await alby(client);
} catch (error) {
  result = { statuses: [], error: String(error) };
}
console.log(JSON.stringify({ payments, ...result }));
