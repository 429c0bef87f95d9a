// Speaks with the host of the view (MCP Apps, SEP-1865, version 2026-01-26). The host has the result of the tool; a view asks nobody else.
let last = 0;
const waiting = new Map();
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

// ask sends a request to the host. A result that is an error rejects, too.
function ask(method, params) {
  const id = ++last;
  post({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function settle({ id, result, error }) {
  const request = waiting.get(id);
  waiting.delete(id);
  if (error || result?.isError) request?.reject(new Error(error?.message ?? "refused"));
  else request?.resolve(result);
}

// paint takes over the colours and fonts of the host.
function paint({ theme, styles } = {}) {
  const { style } = document.documentElement;
  if (theme) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) if (value && name.startsWith("--")) style.setProperty(name, value);
}

// start begins the conversation, in which draw shows the result of the tool and its arguments.
function start(draw) {
  let input = {};
  const heard = {
    "ui/notifications/tool-input": (params) => (input = params.arguments ?? {}),
    "ui/notifications/tool-result": (params) => draw(params, input),
    "ui/notifications/tool-cancelled": () => main.replaceChildren(make("p", "The call was cancelled.")),
    "ui/notifications/host-context-changed": paint,
  };
  addEventListener("message", ({ source, data }) => {
    if (source != parent || data?.jsonrpc != "2.0") return;
    if (!data.method) settle(data);
    else if (data.id === undefined) heard[data.method]?.(data.params ?? {});
    else if (["ping", "ui/resource-teardown"].includes(data.method)) post({ id: data.id, result: {} });
    else post({ id: data.id, error: { code: -32601, message: "Method not found" } });
  });
  const appInfo = { name: document.title, version: "1" };
  ask("ui/initialize", { appInfo, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] }, protocolVersion: "2026-01-26" }).then(({ hostContext }) => {
    paint(hostContext);
    post({ method: "ui/notifications/initialized", params: {} });
    new ResizeObserver(() =>
      post({ method: "ui/notifications/size-changed", params: { width: innerWidth, height: Math.ceil(main.getBoundingClientRect().height) } }),
    ).observe(main);
  });
}

const main = document.querySelector("main");

function make(name, text, attributes, ...children) {
  const e = Object.assign(document.createElement(name), attributes);
  e.append(...(text ? [text] : []), ...children);
  return e;
}

// link opens an address by way of the host, since a view cannot.
function link(text, url) {
  const onclick = (e) => (e.preventDefault(), ask("ui/open-link", { url }).catch(() => {}));
  return make("a", text, { href: url, onclick, rel: "noreferrer" });
}

// documentOf returns the document of a result: its structured content, or the text that is JSON.
function documentOf({ structuredContent, content, isError }) {
  if (structuredContent || isError) return structuredContent;
  try {
    return JSON.parse(content[0].text);
  } catch {
    return undefined;
  }
}

// textOf shows the text of a result that has no other form.
const textOf = ({ content }) => make("p", (content ?? []).map((c) => c.text ?? "").join("\n"), { className: "text" });
