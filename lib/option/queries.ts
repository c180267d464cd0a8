import type { Database } from "../../db/client";
import { options } from "../../db/schema";
import { unseal } from "../crypto";
import { log } from "../log";
import {
  defaultOptions,
  isOptionKey,
  type OptionKey,
  type OptionValues,
  optionRegistry,
  parseOption,
} from "./registry";

/**
 * The value in force of every option. A stored text that no longer fits its schema is reported and its default used, so
 * that one bad row cannot keep a process from starting.
 */
export async function loadOptions(db: Database): Promise<OptionValues> {
  const values = defaultOptions();
  for (const [key, text] of await readStored(db)) {
    try {
      Object.assign(values, { [key]: parseOption(key, text) });
    } catch (error) {
      log.error(
        { key, error: error instanceof Error ? error.name : "unknown" },
        "stored option does not fit its schema",
      );
    }
  }
  return values;
}

/** Key and text of every option that may be read back, defaults included; secrets are left out (contract §3.1). */
export async function listReadableOptions(db: Database): Promise<{ key: OptionKey; value: string }[]> {
  const stored = await readStored(db);
  return (Object.keys(optionRegistry) as OptionKey[])
    .filter((key) => !isSecret(key))
    .map((key) => ({ key, value: stored.get(key) ?? optionRegistry[key].default }));
}

/** Whether the option is write-only. */
export function isSecret(key: OptionKey): boolean {
  return "secret" in optionRegistry[key];
}

async function readStored(db: Database): Promise<Map<OptionKey, string>> {
  const rows = await db.select().from(options);
  const stored = new Map<OptionKey, string>();
  for (const row of rows) {
    if (isOptionKey(row.key)) stored.set(row.key, row.sealed ? unseal(row.value) : row.value);
  }
  return stored;
}
