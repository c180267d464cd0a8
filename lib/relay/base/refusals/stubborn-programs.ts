import type { IncomingHttpHeaders } from "node:http";
import type { WireError } from "../../wire/canonical/wire-error";

/** A program that asks again although the reply says `x-should-retry: false`. */
type StubbornProgram = {
  isIt: (headers: IncomingHttpHeaders) => boolean;
  /** The replies that it repeats, or whose text it does not show. */
  repeats: (status: number, code: WireError["code"]) => boolean;
  /** It repeats every status whose body has one of these. */
  words?: RegExp;
};

/** Every program of the list takes it for a request that is not valid, ends, and shows its text. */
const FINAL_STATUS = 400;
const FINAL_TYPE = "invalid_request_error";

const agentOf = ({ "user-agent": agent = "" }: IncomingHttpHeaders): string => agent.slice(0, 300);
const isOverload = (status: number): boolean => [408, 409, 425, 429].includes(status) || status >= 500;

/**
 * How programs read errors, as their sources have it and as was measured (docs/retries.md), in November 2026:
 *
 * - Claude Code 2.1 repeats 5xx (measured).
 * - Codex 0.171 repeats all but 400, 429 and an unknown model, and hides the text of 429 (measured; `is_retryable` in
 *   codex-rs/protocol/src/error.rs).
 * - opencode 1.18 repeats what the AI SDK takes for temporary, and 4xx by words and digits of the body, such as 500 in a sum:
 *   packages/opencode/src/session/retry.ts.
 * - litellm 1.81, in aider, ignores the header; aider repeats all but 400, 401, 404, 422: aider/exceptions.py and
 *   litellm/litellm_core_utils/exception_mapping_utils.py. Through OpenAI's SDK it sends no name of its own: it is told by raw responses
 *   together with a time limit that is a float, 600.0 (litellm/main.py), where the SDK itself sends 600.
 * - Gemini CLI 0.61 repeats 429 and 5xx (measured: docs/clients/gemini-cli.md).
 * - Continue's CLI 1.5 repeats 429, 502, 503, 504 and errors by words (measured; extensions/cli/src/util/exponentialBackoff.ts). It names
 *   itself by OpenAI's SDK within a minified program, whose class has a name of few letters: ls/JS 5.23.2.
 */
const PROGRAMS: readonly StubbornProgram[] = [
  { isIt: (headers) => /^claude-cli\//.test(agentOf(headers)), repeats: (status) => status >= 500 },
  { isIt: (headers) => /^GeminiCLI\b/.test(agentOf(headers)), repeats: (status) => status === 429 || status >= 500 },
  {
    isIt: (headers) => /^codex/i.test(agentOf(headers)),
    repeats: (status, code) => status !== 400 && code !== "model_not_found",
  },
  {
    isIt: (headers) => /\bopencode\//.test(agentOf(headers)),
    repeats: isOverload,
    words:
      /429|50[0234]|524|rate increased too quickly|rate[ _-]limit|too many requests|overloaded|service[ _-]unavailable|internal[ _]error|(?:internal )?server[ _-]error|provider[ _-]returned[ _-]error|terminated|(?:fetch|network|connection)[ _-](?:failed|error|refused|lost)|time(?:d )?out|try (?:your request )?again|retry your request|resource[ _]exhausted|temporarily|currently at capacity/gi,
  },
  {
    isIt: (headers) => /^litellm\//.test(agentOf(headers)),
    repeats: (status) => ![400, 401, 404, 413, 422].includes(status),
    words: /rate[\s_-]*limit/gi,
  },
  {
    isIt: (headers) => headers["x-stainless-lang"] === "js" && /^[\w$]{1,3}\/JS \d/.test(agentOf(headers)),
    repeats: isOverload,
    words: /premature[ _-](?:close|end)|connection reset|socket hang up|aborted|overloaded/gi,
  },
  {
    isIt: (headers) =>
      headers["x-stainless-raw-response"] === "true" &&
      String(headers["x-stainless-read-timeout"]).includes(".") &&
      /^(Async)?OpenAI\/Python/.test(agentOf(headers)),
    repeats: isOverload,
    words: /rate[\s_-]*limit/gi,
  },
];

/** How a refusal is told to a program. `id`: what of the request's id stands in the text; "" = nothing. */
export type Ending = { status: number; error: WireError; reason: string; id: string };

/** A refusal that waiting does not mend, so that the program that asks ends with it; else as it is. */
export function endProgram(headers: IncomingHttpHeaders, ending: Ending): Ending {
  const program = PROGRAMS.find(({ isIt }) => isIt(headers));
  if (program === undefined) return ending;
  const { words } = program;
  const { type, code, message } = ending.error;
  const isRepeated = program.repeats(ending.status, code);
  return {
    status: isRepeated ? FINAL_STATUS : ending.status,
    error: {
      ...ending.error,
      message: words ? message.replace(words, broken) : message,
      type: isRepeated || has(words, type) ? FINAL_TYPE : type,
      code: typeof code === "string" && has(words, code) ? code.replaceAll("rate_limit", "limit") : code,
    },
    reason: has(words, ending.reason) ? ending.reason.replaceAll("RATE_LIMIT", "LIMIT") : ending.reason,
    id: has(words, ending.id) ? "" : ending.id,
  };
}

const has = (words: RegExp | undefined, text: string): boolean => words !== undefined && text.search(words) !== -1;

/** No width, no meaning, and no place for a line to end. */
const WORD_JOINER = "\u2060";

/** The same for people, and another word for the program. */
function broken(word: string): string {
  return `${word.slice(0, 1)}${WORD_JOINER}${word.slice(1)}`;
}
