import { superviseChild } from "./children";
import { keepSecret, randomSecret } from "./data-directory";
import { type DemoAccess, seedDemo } from "./demo/seed-demo";
import { freePort } from "./ports";
import { say } from "./terminal";

/** A demo shows its password at every start, so it is stored in the data directory; the first start may be given one. */
export function demoRootPassword(dataDirectory: string, given?: string): string {
  return keepSecret(dataDirectory, "root-password", () => given ?? randomSecret().slice(0, 16));
}

/** Starts the fake upstream and seeds sample data that uses it. */
export async function prepareDemo(url: string, dataDirectory: string) {
  const port = await freePort();
  const upstream = superviseChild({
    name: "fake-upstream",
    env: { PATH: process.env.PATH, NODE_ENV: process.env.NODE_ENV, PORT: String(port) },
    onDeath: say,
  });
  const password = demoRootPassword(dataDirectory);
  say("filling in sample data");
  const access = await seedDemo(url, `http://127.0.0.1:${port}`, password);
  return { upstream, access, password };
}

export function describeDemo(address: string, access: DemoAccess, password: string): string {
  return `
  Console   ${address}
  Log in    root / ${password}
            others: ${access.usernames.join(", ")} with the same password

  Try it (a streamed response from the built-in upstream, charged to the demo account):

  curl -N ${address}/v1/chat/completions \\
    -H "Authorization: Bearer ${access.apiKey}" \\
    -H "Content-Type: application/json" \\
    -d '{"model":"${access.model}","stream":true,"messages":[{"role":"user","content":"Say hello"}]}'

  Ctrl-C stops everything. The data stays in the demo's own folder.
`;
}
