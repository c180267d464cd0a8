import { type Json, readObject, readText } from "../../canonical/json";
import type { ProviderError } from "../../canonical/wire-error";

/** https://docs.bigmodel.cn/cn/faq/api-code: what Zhipu's codes stand for, of v3 and v4. */
const STATUSES: ReadonlyMap<number, number> = new Map([
  ...of(401, 1000, 1001, 1002, 1003, 1004),
  ...of(402, 1113),
  ...of(403, 1110, 1111, 1112, 1121, 1220),
  ...of(404, 1211, 1221, 1222),
  ...of(400, 1210, 1212, 1213, 1214, 1215, 1261, 1300, 1301),
  ...of(429, 1302, 1303, 1304, 1305, 1308, 1309),
  ...of(500, 1120, 1200, 1230, 1234),
]);

/** The conversation is not allowed, or is too long, wherever it is sent. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [1300, "content_filter"],
  [1301, "content_filter"],
  [1261, "context_length_exceeded"],
]);

function of(status: number, ...codes: number[]): [number, number][] {
  return codes.map((code) => [code, status]);
}

/** v3 has `{code, msg, success: false}`, an error event without `success`, and v4 an object `error` with a code of digits. */
export function readProviderError(json: Json): ProviderError | null {
  const given = readText(readObject(json.error).code) === "" ? json : readObject(json.error);
  const code = Number(given.code);
  const status = STATUSES.get(code);
  const message = given === json ? readText(json.msg) : readText(given.message);
  if (status === undefined || message === "" || json.success === true) return null;
  return { error: { message, type: TYPES.get(code) ?? "upstream_error", param: null, code: String(code) }, status };
}
