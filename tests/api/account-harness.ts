import type { ServiceContext } from "@/lib/context";
import { setOption } from "@/lib/option/commands";
import type { OptionKey } from "@/lib/option/registry";
import type { TestDatabase } from "@/lib/testing/database";
import type { MailServer } from "@/lib/testing/mail-server";

/** Saves options as root would, with the same handling of secrets and preconditions. */
export async function setOptions(
  database: TestDatabase,
  values: Partial<Record<OptionKey, string | number | boolean>>,
): Promise<void> {
  const { db, sql } = database;
  const ctx: ServiceContext = { db, sql, actor: { type: "job", name: "test" }, clientIp: "" };
  for (const [key, value] of Object.entries(values)) await setOption(ctx, key, String(value));
}

/** Points the options at the test's mail server. WEIR_SMTP_INSECURE accepts its certificate. */
export async function useMailServer(database: TestDatabase, server: MailServer): Promise<void> {
  process.env.WEIR_SMTP_INSECURE = "true";
  await setOptions(database, {
    SMTPServer: "127.0.0.1",
    SMTPPort: server.port,
    SMTPFrom: "weir@weir.example",
    ServerAddress: "https://weir.example",
  });
}

/** Each call gets a new IP address, so that rate limits of earlier calls do not apply. */
let place = 0;
export function fromElsewhere(): Record<string, string> {
  place += 1;
  return { "x-forwarded-for": `8.${Math.floor(place / 65_536)}.${Math.floor(place / 256) % 256}.${place % 256}` };
}
