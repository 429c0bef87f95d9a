// A service for LNURL-pay (lnurl from npm) over an lnd. It prints the LNURL at which it is paid, and runs until it is stopped.
//
// In the environment: CACHE, where node_modules is; LND, host and port of lnd's REST interface; CERT and MACAROON, files; PORT.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const say = console.log;
console.log = console.error; // lnurl and its modules print as they like
const { CACHE, LND, CERT, MACAROON, PORT } = process.env;
const lnurl = createRequire(pathToFileURL(CACHE + "/package.json"))("lnurl");
const server = lnurl.createServer({
  host: "localhost", port: Number(PORT), url: "http://localhost:" + PORT,
  lightning: { backend: "lnd", config: { baseUrl: "https://" + LND, cert: CERT, macaroon: MACAROON } },
  payRequest: { metadata: '[["text/plain","searches"]]', commentAllowed: 0 },
});
await new Promise((resolve) => server.once("listening", resolve));
const { encoded } = await server.generateNewUrl("payRequest", { minSendable: 1000, maxSendable: 100_000_000, metadata: '[["text/plain","searches"]]', commentAllowed: 0 }, { uses: 0 });
say(JSON.stringify({ lnurl: encoded }));
