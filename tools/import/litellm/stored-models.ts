import type { Source } from "../types";
import { objectOf, textOf } from "../values";
import { decryptValue } from "./decrypt-value";
import { type LitellmConfig, readStoredDeployment } from "./read-config";
import { partsOf, TABLES } from "./tables";

/** `config` with the models and credentials of LiteLLM's console; `unread`: the names of those that could not be decrypted. */
export type WithStored = { config: LitellmConfig; unread: string[] };

/** Reads what was added in LiteLLM's console, which is encrypted in its database. `saltKey`: "" = nobody has said it. */
export async function withStoredModels(
  config: LitellmConfig,
  database: Source | null,
  saltKey: string,
): Promise<WithStored> {
  const [models, credentials] = [[...(config.model_list ?? [])], [...(config.credential_list ?? [])]];
  const unread: string[] = [];
  const columns = ["credential_name", "credential_values"];
  for await (const rows of partsOf(database, TABLES.credential, "credential_name", columns)) {
    for (const row of rows) {
      const values = decryptAll(objectOf(row, "credential_values"), saltKey);
      const name = textOf(row, "credential_name");
      // One that cannot be read is missed by the models that use it, and told with them.
      if (values) credentials.push({ credential_name: name, credential_values: values });
    }
  }
  const wanted = ["model_id", "model_name", "litellm_params", "model_info"];
  for await (const rows of partsOf(database, TABLES.model, "model_id", wanted)) {
    for (const row of rows) {
      const params = decryptAll(objectOf(row, "litellm_params"), saltKey);
      const name = textOf(row, "model_name");
      const found = params && readStoredDeployment({ name, params, info: objectOf(row, "model_info") });
      if (found) models.push(found);
      else unread.push(name);
    }
  }
  return { config: { ...config, model_list: models, credential_list: credentials }, unread };
}

/** Texts are encrypted one by one; numbers, lists and objects are not. Null = one of them cannot be read. */
function decryptAll(given: Record<string, unknown> | string, saltKey: string): Record<string, unknown> | null {
  if (typeof given === "string" || saltKey === "") return null;
  const entries = Object.entries(given).map(([name, value]) => [name, decrypted(value, saltKey)] as const);
  return entries.some(([, value]) => value === UNREAD) ? null : Object.fromEntries(entries);
}

const UNREAD = Symbol("unread");

function decrypted(value: unknown, saltKey: string): unknown {
  if (typeof value !== "string" || value === "") return value;
  return decryptValue(value, saltKey) ?? UNREAD;
}
