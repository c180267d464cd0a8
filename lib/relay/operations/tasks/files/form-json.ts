import type { Form } from "../../../http/forms/form";
import type { Json } from "../../../wire/canonical/json";
import { InvalidRequest } from "../../../wire/canonical/wire-error";

/** For all files of a form: their text is held in memory. */
const BYTES_MAX = 20 * 1_048_576;

/** The fields of a form as texts, and its files as data URLs. Rejects with InvalidRequest. */
export async function jsonOfForm(form: Form): Promise<Json> {
  const bytes = form.files().reduce((sum, { file }) => sum + file.length, 0);
  if (bytes > BYTES_MAX) throw new InvalidRequest(`the files must not have more than ${BYTES_MAX} bytes in all`);
  const json: Json = {};
  for (const entry of form.entries) {
    if ("text" in entry) json[entry.name] = entry.text;
    else {
      const parts: Buffer[] = [];
      for await (const part of entry.file.open()) parts.push(part as Buffer);
      json[entry.name] = `data:${entry.type};base64,${Buffer.concat(parts).toString("base64")}`;
    }
  }
  return json;
}
