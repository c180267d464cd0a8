import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { type Account, asAccount, asRoot, call } from "./accounts";

/** A chat request with this key, as a client sends it. */
export async function ask(key: string, model: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${process.env.WEIR_E2E_URL}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.trim()}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  return { status: response.status, text: await response.text() };
}

/** A new API key of the account, without limits. */
export function makeKey(account: Account, name = "main"): Promise<string> {
  return asAccount(account, async (caller) => {
    const { key } = (await call(caller, "POST", "/api/token/", { name, unlimited_quota: true })) as { key: string };
    return `sk-${key}`;
  });
}

export function balanceOf({ id }: Account): Promise<number> {
  return asRoot(async (root) => ((await call(root, "GET", `/api/user/${id}`)) as { quota: number }).quota);
}

/** Credits an amount in quota units by a code. */
export async function giveMoney(account: Account, quota: number): Promise<void> {
  const codes = await asRoot((root) => call(root, "POST", "/api/redemption/", { name: "given", quota, count: 1 }));
  await asAccount(account, (caller) => call(caller, "POST", "/api/user/topup", { key: (codes as string[])[0] }));
}

/** Runs a script of Node from this file, which must be in the repository for its packages to be found. */
export async function runScript(code: string, path: string): Promise<string> {
  writeFileSync(path, code);
  const { stdout } = await promisify(execFile)(process.execPath, [path], { timeout: 20_000 });
  return stdout;
}
