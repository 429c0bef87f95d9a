// Buys and searches over gRPC with @grpc/grpc-js; health checks stand for searches.
// Arguments: the folder of the package, the address of the service, the address of the wallet.
import { createRequire } from "node:module";

const [modules, address, wallet] = process.argv.slice(2);
const grpc = createRequire(modules + "/")("@grpc/grpc-js");

const raw = (bytes) => bytes;
const Health = grpc.makeGenericClientConstructor({
  check: {
    path: "/grpc.health.v1.Health/Check", requestStream: false, responseStream: false,
    requestSerialize: raw, requestDeserialize: raw, responseSerialize: raw, responseDeserialize: raw,
  },
}, "Health");
const client = new Health(address, grpc.credentials.createInsecure());

function check(metadata) {
  return new Promise((resolve) => {
    let header;
    const call = client.check(Buffer.alloc(0), metadata, (error) => resolve({ error, header }));
    call.on("metadata", (m) => (header = m));
  });
}

// details finds what the binding puts into google.rpc.Status without a protobuf library: the strings are unmistakable.
function details(error, prefix) {
  const text = error.metadata.get("grpc-status-details-bin")[0].toString("latin1");
  return new RegExp(prefix + ":([A-Za-z0-9+/=]+)").exec(text)[1];
}

const { error } = await check(new grpc.Metadata());
const macaroon = details(error, "macaroon");
const invoice = details(error, "invoice");
const header = error.metadata.get("www-authenticate")[0];
const res = await fetch(wallet, { method: "POST", body: JSON.stringify({ invoice }) });
const { preimage } = await res.json();
const metadata = new grpc.Metadata();
metadata.set("authorization", `L402 ${macaroon}:${preimage}`);
const statuses = [], balances = [];
for (let i = 0; i < 2; i++) {
  const paid = await check(metadata);
  statuses.push(paid.error ? paid.error.code : 0);
  balances.push(paid.header?.get("x-credit-balance")[0]);
}
console.log(JSON.stringify({ code: error.code, message: error.details, same: header.includes(`macaroon="${macaroon}", invoice="${invoice}"`), statuses, balances }));
client.close();
