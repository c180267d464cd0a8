import { resolve } from "node:path";
import { createDatabase } from "@/db/client";
import { env } from "@/lib/env";
import { rotateSecret } from "@/lib/secret/secret-commands";
import { readSecretLine } from "../ask-secret";
import { openCommandDatabase } from "../command-database";
import { openDataDirectory, randomSecret } from "../data-directory";
import { adoptNextSecret, findSecret, nextSecretFile, settleSecret, writeNextSecret } from "../installation-secret";

type Values = { stdin?: boolean; "keep-unreadable"?: boolean };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** `weir key rotate`: seals everything under a new WEIR_SECRET. Returns the exit code. */
export async function run(values: Values): Promise<number> {
  const settings = env();
  const dataDirectory = resolve(settings.WEIR_DATA_DIR);
  const to = values.stdin ? await readSecretLine() : randomSecret();
  if (to.length < 16) throw new Error("A secret has at least 16 characters. Nothing was changed.");
  const { url, close } = await openCommandDatabase(settings);
  const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-key" });
  try {
    openDataDirectory(dataDirectory);
    const from = await presentSecret(url, dataDirectory, settings.WEIR_SECRET, values);
    if (from === to) throw new Error("This is the present secret. Nothing was changed.");
    await rotateSecret(sql, {
      from,
      to,
      keepUnreadable: values["keep-unreadable"] === true,
      prepare: () => writeNextSecret(dataDirectory, to),
      onTable: (column, resealed, unreadable) =>
        say(`${column}: ${resealed} sealed anew${unreadable > 0 ? `, ${unreadable} cannot be opened and stay` : ""}`),
    });
    finish(dataDirectory, settings.WEIR_SECRET !== undefined);
    return 0;
  } finally {
    await end();
    await close();
  }
}

/** With --keep-unreadable the present secret need not open anything: the old one may be lost. */
async function presentSecret(
  url: string,
  dataDirectory: string,
  given: string | undefined,
  values: Values,
): Promise<string> {
  try {
    return await settleSecret(url, dataDirectory, given);
  } catch (error) {
    const found = findSecret(dataDirectory, given);
    if (!values["keep-unreadable"] || found === null) throw error;
    return found;
  }
}

function finish(dataDirectory: string, isInEnvironment: boolean): void {
  if (isInEnvironment) {
    say(`Done. The new secret is in ${nextSecretFile(dataDirectory)}.`);
    say("Before the next start: set WEIR_SECRET to it, on every machine (environment, .env, secret store).");
    say("The first start with it deletes the file; with the old one Weir does not start.");
  } else {
    adoptNextSecret(dataDirectory);
    say("Done. The file `secret` of the data directory holds the new secret.");
    say("On other machines of this installation: copy it there before they start.");
  }
  say("Everybody has to log in again; API keys stay. Backups made before now open only with the old secret.");
}
