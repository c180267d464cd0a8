import type { WireError } from "./canonical/wire-error";
import { defaultDialect, dialects } from "./dialects";
import type { CallerDialect } from "./dialects/dialect";

type RenderError = CallerDialect["renderError"];

const openai = defaultDialect.caller;
const withId = ({ message }: WireError, requestId: string): string => `${message} (request id: ${requestId})`;
const shaped = (renderError: RenderError): CallerDialect => ({ ...openai, renderError });

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
  [/^\/v1beta\d*(\/|$)/, dialects.get("gemini-generate-content")?.caller ?? openai],
  [/^(\/[\w-]+)?\/mj(\/|$)/, midjourney],
  [/^\/suno(\/|$)/, task],
];

/** The shape of errors on a path that is no operation. */
export function callerOfPath(path: string): CallerDialect {
  return shapes.find(([pattern]) => pattern.test(path))?.[1] ?? openai;
}
