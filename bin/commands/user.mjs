import { WrongUse } from "../../scripts/arguments.mjs";
import { runServerCommand } from "../run-built.mjs";

const named = ["reset-password", "make-root", "unmake-root", "unban", "disable-2fa"];

export const user = {
  summary: "the way back in: passwords, super admins, bans, second factors",
  details: `
  weir user list [--search TEXT] [--json]   accounts, newest first
  weir user reset-password NAME             asks for the new password on the terminal
  weir user make-root NAME                  makes an account super admin
  weir user unmake-root NAME                makes a super admin an ordinary user; not the last one
  weir user unban NAME                      lets a banned account sign in again
  weir user disable-2fa NAME                removes authenticator and passkeys

NAME is a user name, or # and the id ('#12'). Works beside a running Weir. The account's sessions end, and the
audit log says that it was done on the command line.`,
  words: ["ACTION", "[NAME]"],
  options: {
    search: { type: "string", description: "list: an id, or a part of name or address" },
    json: { type: "boolean", description: "list: as JSON" },
    stdin: { type: "boolean", description: "reset-password: reads the password from the first line of the input" },
    generate: { type: "boolean", description: "reset-password: makes a password and prints it once" },
    "allow-passwords": { type: "boolean", description: "reset-password: switches signing in with passwords on" },
  },
  async run(values, positionals) {
    const [action, name] = positionals;
    const isList = action === "list";
    if (!isList && !named.includes(action)) throw new WrongUse(`Usage: weir user list | ${named.join(" | ")}`);
    if (isList && name !== undefined) throw new WrongUse("Usage: weir user list [--search TEXT] [--json]");
    if (!isList && !name) throw new WrongUse(`Usage: weir user ${action} NAME`);
    if (values.stdin && values.generate) throw new WrongUse("Give --stdin or --generate, not both.");
    return runServerCommand("user", values, positionals);
  },
};
