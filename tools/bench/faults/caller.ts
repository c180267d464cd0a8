import { type IncomingMessage, request as send } from "node:http";

/** What the caller got, as its client library would see it. */
export type Got = {
  /** Null = no answer at all. */
  status: number | null;
  requestId: string | null;
  text: string;
  finishReason: string | null;
  isEventStream: boolean;
  /** The model that the last event names; null = none does. */
  model: string | null;
  hasUsage: boolean;
  /** The stream had its terminal marker. */
  isDone: boolean;
  /** The message of an error, as a body or as an event of the stream. */
  error: string | null;
  /** Events that are no JSON. */
  badEvents: number;
  /** "left": the caller waited for as long as it was told to. */
  ended: "clean" | "broken" | "left";
  retryAfter: string | null;
  /** Until the first event or byte of the answer; null = none came. */
  firstMs: number | null;
  ms: number;
};

export type Request = {
  url: string;
  key: string;
  model: string;
  /** Other models that the caller names. */
  models?: readonly string[];
  isStream: boolean;
  leaveAfterMs: number;
};

/** Sends one chat request and reads the answer to its end. Never rejects. */
export async function callOnce({ url, key, model, models, isStream, leaveAfterMs }: Request): Promise<Got> {
  const startedAt = performance.now();
  const body = JSON.stringify({
    model,
    ...(models ? { models } : {}),
    stream: isStream,
    max_tokens: 100,
    ...(isStream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: "user", content: "What does the river do?" }],
  });
  let firstMs: number | null = null;
  const got = await new Promise<Omit<Got, "ms" | "firstMs">>((resolve) => {
    let response: IncomingMessage | null = null;
    let bytes = "";
    let ended: Got["ended"] = "broken";
    const call = send(`${url}/v1/chat/completions`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    const timer = setTimeout(() => {
      ended = "left";
      call.destroy();
    }, leaveAfterMs);
    call.on("error", () => {});
    call.on("response", (answer) => {
      response = answer;
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        // A comment is no answer.
        if (!part.startsWith(":")) firstMs ??= performance.now() - startedAt;
        bytes += part;
      });
      answer.on("end", () => {
        ended = "clean";
      });
      answer.on("error", () => {});
    });
    call.on("close", () => {
      clearTimeout(timer);
      resolve({ ...readHead(response), ...readAnswer(response, bytes), ended });
    });
    call.end(body);
  });
  return { ...got, firstMs, ms: performance.now() - startedAt };
}

function readHead(response: IncomingMessage | null): Pick<Got, "status" | "requestId" | "retryAfter"> {
  const header = (name: string): string | null => {
    const value = response?.headers[name];
    return typeof value === "string" ? value : null;
  };
  return {
    status: response?.statusCode ?? null,
    requestId: header("x-oneapi-request-id"),
    retryAfter: header("retry-after"),
  };
}

type Wire = {
  model?: string;
  usage?: object | null;
  error?: { message?: string };
  choices?: { message?: { content?: string }; delta?: { content?: string }; finish_reason?: string | null }[];
};

type Content = Pick<
  Got,
  "isEventStream" | "text" | "finishReason" | "isDone" | "error" | "badEvents" | "model" | "hasUsage"
>;

function readAnswer(response: IncomingMessage | null, bytes: string): Content {
  const isEventStream = String(response?.headers["content-type"]).startsWith("text/event-stream");
  const nothing = {
    text: "",
    finishReason: null,
    isDone: false,
    error: null,
    badEvents: 0,
    model: null,
    hasUsage: false,
  };
  const content: Content = { isEventStream, ...nothing };
  if (isEventStream) {
    for (const line of bytes.split("\n")) if (line.startsWith("data:")) addEvent(content, line.slice(5).trim());
  } else if (bytes !== "") addEvent(content, bytes);
  return content;
}

function addEvent(content: Content, data: string): void {
  if (data === "[DONE]") {
    content.isDone = true;
    return;
  }
  let wire: Wire;
  try {
    wire = JSON.parse(data) as Wire;
  } catch {
    content.badEvents += 1;
    return;
  }
  content.model = wire.model ?? content.model;
  content.hasUsage ||= typeof wire.usage === "object" && wire.usage !== null;
  if (wire.error) content.error = wire.error.message ?? "";
  const choice = wire.choices?.[0];
  content.text += choice?.delta?.content ?? choice?.message?.content ?? "";
  content.finishReason = choice?.finish_reason ?? content.finishReason;
}
