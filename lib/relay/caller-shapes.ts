import type { WireError } from "./canonical/wire-error";
import { defaultDialect, dialects } from "./dialects";
import type { CallerDialect } from "./dialects/dialect";

/** Google's names of statuses; every other one is INTERNAL. */
const GOOGLE_STATUS: ReadonlyMap<number, string> = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [429, "RESOURCE_EXHAUSTED"],
  [503, "UNAVAILABLE"],
]);

type RenderError = CallerDialect["renderError"];

const openai = defaultDialect.caller;
const withId = ({ message }: WireError, requestId: string): string => `${message} (request id: ${requestId})`;
const shaped = (renderError: RenderError): CallerDialect => ({ ...openai, renderError });

const google = shaped((error, status, requestId) => ({
  error: { code: status, message: withId(error, requestId), status: GOOGLE_STATUS.get(status) ?? "INTERNAL" },
}));
/** Contract §4.6: `/mj/*` answers with a description. */
const midjourney = shaped((error, _status, requestId) => ({
  description: withId(error, requestId),
  type: error.type,
  code: 4,
}));
const task = shaped((error, _status, requestId) => ({
  code: error.code || "invalid_request",
  message: withId(error, requestId),
  data: null,
}));

/** Paths whose clients expect errors in another shape than OpenAI's. The first that fits counts. */
const shapes: readonly (readonly [path: RegExp, caller: CallerDialect])[] = [
  [/^\/v1\/messages(\/|$)/, dialects.get("anthropic-messages")?.caller ?? openai],
  [/^\/v1beta\/openai(\/|$)/, openai],
  [/^\/v1beta\d*(\/|$)/, google],
  [/^(\/[\w-]+)?\/mj(\/|$)/, midjourney],
  [/^\/suno(\/|$)/, task],
];

/** The shape of errors on a path that is no operation. */
export function callerOfPath(path: string): CallerDialect {
  return shapes.find(([pattern]) => pattern.test(path))?.[1] ?? openai;
}
