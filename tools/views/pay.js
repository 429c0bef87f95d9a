// Asks a person whether to pay for search_passages, and shows what a paid search found. It pays nothing itself: a wallet does.
const said = make("p", "", { role: "status", className: "said" });
const say = (text) => said.replaceChildren(text);
const button = (text, onclick) => make("button", text, { type: "button", onclick });

// tell sends a message of the user's to the assistant. Where the host does not take it, the user can paste it.
async function tell(text, done) {
  try {
    await ask("ui/message", { role: "user", content: [{ type: "text", text }] });
    say(done);
  } catch {
    said.replaceChildren("Paste this into the conversation: ", make("code", text));
  }
}

// belongs reports whether a preimage is that of a payment, or null where the host gives no way to know.
async function belongs(preimage, hash) {
  if (!crypto.subtle) return null;
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(preimage.match(/../g), (x) => parseInt(x, 16)));
  return [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, "0")).join("") == hash;
}

function drawChallenge(c, { query }) {
  const uri = "lightning:" + c.invoice;
  const code = make("code", c.invoice, { tabIndex: 0 });
  code.setAttribute("role", "textbox");
  code.setAttribute("aria-readonly", "true");
  code.setAttribute("aria-label", "Invoice");
  const copy = button("Copy the invoice", async () => {
    getSelection().selectAllChildren(code);
    say(await navigator.clipboard?.writeText(c.invoice).then(() => "Copied.", () => "Selected.") ?? "Selected.");
  });
  const open = button("Open a wallet", () => ask("ui/open-link", { url: uri }).catch(() => say("The host opens no wallet. Scan the code, or copy the invoice.")));
  const onkeydown = (e) => e.key == "Enter" && submit(); // a view may have no forms
  const field = make("input", "", { id: "preimage", autocomplete: "off", spellcheck: false, onkeydown });
  const submit = async () => {
    const preimage = field.value.trim().toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(preimage)) return say("The proof of payment has 64 hexadecimal digits. Your wallet shows it with the payment.");
    if ((await belongs(preimage, c.payment_hash)) === false) return say("This proof belongs to another payment.");
    await tell(`I paid. Call search_passages again with the argument l402: ${c.macaroon}:${preimage}`, "The assistant has the proof of payment.");
  };
  const label = make("label", "Paid? Paste the proof of payment (preimage, 64 hex characters).", { htmlFor: "preimage" });
  const proof = make("div", "", { className: "row" }, label, field, button("Send it to the assistant", submit));
  const decline = button("Don’t pay", () => tell("I do not want to pay. Use the free search instead.", "The assistant will not pay."));
  const until = new Date(c.expires_at);
  const parts = [
    make("h1", `Pay ${c.price_sats} sats for ${c.credits} searches?`),
    make("p", `One Lightning payment buys ${c.credits} full-text searches, valid for ${c.valid_days} days. Nothing is paid unless your wallet pays.`),
  ];
  if (query) parts.push(make("p", `Search: “${query}”`, { className: "soft" }));
  if (until < new Date()) parts.push(make("p", "This invoice has expired. Ask again for a new one."));
  else
    parts.push(
      make("div", "", { className: "invoice" }, picture(uri.toUpperCase()),
        make("div", "", {}, make("p", "", { className: "row" }, open, copy, decline), code, make("p", `The invoice expires at ${until.toLocaleString()}.`, { className: "soft" }))),
      proof,
    );
  main.replaceChildren(...parts, said);
}

function drawHits({ hits, total, credits }) {
  const found = hits.map(({ title, url, passages }) => {
    const quotes = (passages ?? []).map((p) => {
      const where = make("p", "", { className: "soft" }, link(p.title, p.url ?? url));
      if (p.source) where.append(", from ", link(new URL(p.source).host, p.source));
      if (p.verified_at) where.append(`, read on ${p.verified_at}`);
      return make("blockquote", p.text, {}, where);
    });
    return make("article", "", {}, make("h2", "", {}, link(title, url)), ...quotes);
  });
  const left = `${credits.left} searches left, valid until ${credits.valid_until.slice(0, 10)}.`;
  main.replaceChildren(make("h1", hits.length ? `${hits.length} of ${total} results` : "No results. You weren’t charged."), make("p", left, { className: "soft" }), ...found);
}

function draw(result, input) {
  const d = documentOf(result);
  if (d?.payment_required) drawChallenge(d.payment_required, input);
  else if (d?.hits) drawHits(d);
  else main.replaceChildren(make("h1", "Full-text search"), textOf(result));
}

start(draw);
