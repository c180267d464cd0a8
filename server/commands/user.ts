import { randomBytes } from "node:crypto";
import { ROLE, type ServiceContext } from "@/lib/context";
import { saveOptions } from "@/lib/option/commands";
import { loadOptions } from "@/lib/option/queries";
import { USER_STATUS } from "@/lib/row-status";
import { manageUser, updateUser } from "@/lib/user/commands";
import { listUsers } from "@/lib/user/queries";
import { disableFactors, getRescueTarget, makeRoot, type RescueTarget, unmakeRoot } from "@/lib/user/rescue-commands";
import { passwordSchema } from "@/lib/user/schemas";
import { askSecret, readSecretLine } from "../ask-secret";
import { withCommandContext } from "../command-context";

type Values = {
  search?: string;
  json?: boolean;
  stdin?: boolean;
  generate?: boolean;
  "allow-passwords"?: boolean;
};

const ROWS_MAX = 100;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** `weir user`: bin/commands/user.mjs has the words. Returns the exit code. */
export async function run(values: Values, [action = "", name = ""]: string[]): Promise<number> {
  await withCommandContext("weir-user", async (ctx) => {
    if (action === "list") return list(ctx, values);
    const user = await getRescueTarget(ctx, name);
    await actions[action]?.(ctx, user, values);
  });
  return 0;
}

const actions: Record<string, (ctx: ServiceContext, user: RescueTarget, values: Values) => Promise<void>> = {
  "reset-password": resetPassword,
  async "make-root"(ctx, { id, username }) {
    await makeRoot(ctx, id);
    say(`${username} is super admin now and has to log in again.`);
  },
  async "unmake-root"(ctx, { id, username }) {
    await unmakeRoot(ctx, id);
    say(`${username} is an ordinary user now and has to log in again.`);
  },
  async unban(ctx, { id, username }) {
    await manageUser(ctx, { id, action: "enable" });
    say(`${username} may log in again.`);
  },
  async "disable-2fa"(ctx, { id, username }) {
    const passkeys = await disableFactors(ctx, id);
    say(`${username} signs in with the password alone now (${passkeys} passkeys removed, sessions ended).`);
  },
};

async function resetPassword(ctx: ServiceContext, user: RescueTarget, values: Values): Promise<void> {
  const password = await newPassword(user.username, values);
  await updateUser(ctx, { id: user.id, password });
  say(`${user.username} has a new password; all sessions and the system access token ended.`);
  if (values.generate) say(`The password is ${password} (shown only now).`);
  if (user.status !== USER_STATUS.enabled) say(`${user.username} is banned: weir user unban ${user.username}`);
  if ((await loadOptions(ctx.db)).PasswordLoginEnabled) return;
  if (!values["allow-passwords"]) return say("Logging in with passwords is switched off: add --allow-passwords.");
  const [result] = await saveOptions(ctx, [{ key: "PasswordLoginEnabled", value: "true" }]);
  if (result?.error) throw result.error;
  say("Logging in with passwords is switched on again.");
}

async function newPassword(username: string, values: Values): Promise<string> {
  if (values.generate) return randomBytes(12).toString("base64url");
  const password = values.stdin ? await readSecretLine() : await askSecret(`New password of ${username}: `);
  // Before it is typed again.
  const checked = passwordSchema.safeParse(password);
  if (!checked.success) throw new Error("The password must have 8 to 20 characters. Nothing was changed.");
  if (!values.stdin && (await askSecret("The same again: ")) !== password) {
    throw new Error("The two were different. Nothing was changed.");
  }
  return password;
}

async function list(ctx: ServiceContext, values: Values): Promise<void> {
  const { items, total } = await listUsers(ctx, { keyword: values.search ?? "", pageSize: ROWS_MAX });
  const rows = items.map(({ id, username, email, role, status, deletedAt }) => ({
    id,
    username,
    email: email ?? "",
    role: nameOfRole(role),
    state: deletedAt ? "deleted" : status === USER_STATUS.enabled ? "enabled" : "banned",
  }));
  if (values.json) return say(JSON.stringify({ total, users: rows }));
  for (const row of rows)
    say([`#${row.id}`.padEnd(8), row.role.padEnd(12), row.state.padEnd(8), row.username].join(" "));
  if (total > rows.length) say(`${total - rows.length} more; narrow them down with --search`);
}

function nameOfRole(role: number): string {
  if (role >= ROLE.root) return "super admin";
  return role >= ROLE.admin ? "admin" : "user";
}
