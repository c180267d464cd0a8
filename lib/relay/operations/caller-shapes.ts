import type { IncomingHttpHeaders } from "node:http";
import { withRequestId } from "../wire/canonical/wire-error";
import { defaultDialect, dialects } from "../wire/dialects";
import { knownNames } from "../wire/dialects/common/known-names";
import type { ClientDialect } from "../wire/dialects/dialect";

type RenderError = ClientDialect["renderError"];

const openai = defaultDialect.client;
const anthropic = dialects.get("anthropic-messages")?.client ?? openai;
const google = dialects.get("gemini-generate-content")?.client ?? openai;
const shaped = (renderError: RenderError, names: readonly string[]): ClientDialect => ({
  ...openai,
  names: knownNames({ fields: names }),
  renderError,
});

/** Contract §4.6: `/mj/*` answers with a description. */
export const midjourney = shaped(
  (error, _status, requestId) => ({
    description: withRequestId(error.message, requestId),
    type: error.type,
    // A code of the proxy's own, else that of a request that it would not take.
    code: Number(/^mj_(\d{1,3})$/.exec(String(error.code))?.[1] ?? 4),
  }),
  [
    ...["prompt", "base64", "base64Array", "link", "taskId", "action", "index", "content", "customId", "state"],
    ...["botType", "notifyHook", "accountFilter", "sourceBase64", "targetBase64", "maskBase64", "ids"],
  ],
);
export const taskCaller = shaped(
  (error, _status, requestId) => ({
    code: error.code || "invalid_request",
    message: withRequestId(error.message, requestId),
    data: null,
  }),
  [
    ...["prompt", "gpt_description_prompt", "continue_clip_id", "make_instrumental", "task_id", "mv", "title", "tags"],
    ...["notify_hook", "ids"],
  ],
);

/** Paths whose clients expect errors in another shape than OpenAI's. The first that fits counts. */
const shapes: readonly (readonly [path: RegExp, caller: ClientDialect])[] = [
  [/^\/v1\/messages(\/|$)/, anthropic],
  [/^\/v1beta\/openai(\/|$)/, openai],
  [/^\/v1beta\d*(\/|$)/, google],
  [/^(\/[\w-]+)?\/mj(\/|$)/, midjourney],
  [/^\/suno(\/|$)/, taskCaller],
];

/** The list of models and what a key can do, which clients of three dialects ask for at one path. */
const SHARED_PATH = /^\/v1\/(models|key)(\/|$)/;

/** The dialect of a path that is no operation: how its clients send their key, and read answers and errors. */
export function callerOfPath(path: string, headers: IncomingHttpHeaders, url: string): ClientDialect {
  if (SHARED_PATH.test(path)) return callerOfKey(headers, url);
  return shapes.find(([pattern]) => pattern.test(path))?.[1] ?? openai;
}

function callerOfKey(headers: IncomingHttpHeaders, url: string): ClientDialect {
  if (headers["anthropic-version"] !== undefined || headers["x-api-key"] !== undefined) return anthropic;
  const isGoogle = headers["x-goog-api-key"] !== undefined || /[?&]key=/.test(url);
  return isGoogle && headers.authorization === undefined ? google : openai;
}
