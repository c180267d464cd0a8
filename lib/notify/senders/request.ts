import type { Trust } from "@/lib/egress";
import { fetchVia, type Worker } from "@/lib/egress/worker";
import { DeliveryError, detailOf } from "../delivery-error";

const TIMEOUT_MS = 10_000;
const ANSWER_MAX_BYTES = 65_536;
/** Longest wait that a receiver can request. */
const RETRY_AFTER_MAX = 86_400;

type Posting = {
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  body: unknown;
  /** "operator" for the configured addresses of services, "public" for a user's own address. */
  trust: Trust;
  /** Makes the request in this server's place; absent = the server makes it itself. */
  worker?: Worker | null;
  /** Removed from error texts. */
  secrets: readonly string[];
};

/** The fields of a service's response; {} when it is no JSON object. */
export type Answer = Record<string, unknown>;

/** Posts JSON and returns the JSON response. Throws DeliveryError on a timeout or a status other than 2xx. */
export async function postJson(url: string, posting: Posting): Promise<Answer> {
  const { status, headers, body } = await fetchVia(posting.worker ?? null, url, {
    method: "POST",
    headers: { "content-type": "application/json; charset=utf-8", ...posting.headers },
    body: typeof posting.body === "string" ? posting.body : JSON.stringify(posting.body),
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_MAX_BYTES,
    trust: posting.trust,
  });
  const text = body.toString();
  if (status >= 200 && status < 300) return readAnswer(text);
  const answer = readAnswer(text);
  const asked = Number(headers["retry-after"]) || retryAfterOf(answer);
  throw new DeliveryError({
    messageKey: status === 429 ? "notifyRateLimited" : "notifyRefused",
    params: { code: status, detail: detailOf(wordsOf(answer), posting.secrets) },
    // It may be the worker that refuses.
    permanent: !posting.worker && isPermanent(status),
    retryAfterSeconds: waitOf(asked),
  });
}

/** The error for a refusal inside a response with status 200, as chat services send it. */
export function refusal(
  code: unknown,
  detail: unknown,
  { secrets, rateLimited, passing }: { secrets: readonly string[]; rateLimited: boolean; passing?: boolean },
): DeliveryError {
  return new DeliveryError({
    messageKey: rateLimited ? "notifyRateLimited" : "notifyRefused",
    params: { code: String(code ?? "?").slice(0, 20), detail: detailOf(String(detail ?? ""), secrets) },
    permanent: !rateLimited && !passing,
  });
}

/** 3xx and 4xx are permanent, except for statuses that ask for a retry. */
function isPermanent(status: number): boolean {
  return status >= 300 && status < 500 && ![408, 425, 429].includes(status);
}

function readAnswer(text: string): Answer {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Answer) : {};
  } catch {
    return {};
  }
}

/** The fields in which services put the reason. An HTML page is of no use to the reader. */
function wordsOf(answer: Answer): string {
  const words = ["errorDescription", "description", "errmsg", "msg", "message", "error"].map((name) => answer[name]);
  return words.find((word): word is string => typeof word === "string" && word !== "") ?? "";
}

function retryAfterOf(answer: Answer): number {
  const { parameters } = answer;
  const nested = typeof parameters === "object" && parameters !== null ? (parameters as Answer).retry_after : undefined;
  return Number(answer.retry_after ?? nested) || 0;
}

function waitOf(seconds: number): number {
  return Math.min(Math.max(0, Math.ceil(seconds)), RETRY_AFTER_MAX);
}
