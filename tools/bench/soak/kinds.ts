import { chatRequest } from "../load";
import { WHOLE_TEXT } from "../upstream-answers";

/** How a call ended. Everything but these words is a failure, and says what was wrong. */
export type Ended = "whole" | "left" | "cut" | (string & {});

export type Kind = {
  name: string;
  model: string;
  path: "/v1/chat/completions" | "/v1/messages";
  isStream: boolean;
  payload: Buffer;
  /** The caller leaves after so many milliseconds of the answer; null = it reads to the end. */
  leavesAfterMs: number | null;
  /** How a call may end. A stream may also be cut when an upstream is restarted meanwhile. */
  mayEnd: readonly Ended[];
};

const MODELS = ["soak-whole", "soak-stream", "soak-large", "soak-left"] as const;
const FAULTY_MODELS = ["soak-reset", "soak-cut", "soak-500", "soak-429", "soak-stall"] as const;
/** What the channels serve. */
export const SERVED = ["bench-bulk", ...MODELS, ...FAULTY_MODELS].join(",");
/** The stalled upstream is given up after so many seconds. */
export const STALL_SECONDS = 4;
const LARGE_BYTES = 1_048_576;
const LEAVE_AFTER_MS = 400;

type Given = Partial<Pick<Kind, "path" | "isStream" | "leavesAfterMs" | "mayEnd">> & { text?: string };

function kindOf(name: string, model: string, given: Given = {}): Kind {
  const { text, ...rest } = given;
  const isStream = rest.isStream ?? false;
  const request = chatRequest(model, isStream);
  const body = text ? { ...request, messages: [{ role: "user", content: text }] } : request;
  const payload = Buffer.from(JSON.stringify(body));
  return {
    name,
    model,
    path: "/v1/chat/completions",
    isStream,
    payload,
    leavesAfterMs: null,
    mayEnd: ["whole"],
    ...rest,
  };
}

const translated = { path: "/v1/messages" } as const;
const streamed = { isStream: true } as const;

/** What a hundred requests are. */
const shares: [number, Kind][] = [
  [48, kindOf("whole", "soak-whole")],
  [14, kindOf("stream", "soak-stream", streamed)],
  [9, kindOf("translated", "soak-whole", translated)],
  [5, kindOf("translated stream", "soak-stream", { ...translated, ...streamed })],
  [
    6,
    kindOf("hang-up, stream", "soak-left", { ...streamed, leavesAfterMs: LEAVE_AFTER_MS, mayEnd: ["left", "whole"] }),
  ],
  [2, kindOf("hang-up, whole", "soak-left", { leavesAfterMs: 0, mayEnd: ["left", "whole"] })],
  [1, kindOf("1 MB body", "soak-large", { text: "y".repeat(LARGE_BYTES) })],
  [1, kindOf("unknown model", "soak-nobody", { mayEnd: ["status 404", "status 503"] })],
  ...FAULTY_MODELS.map((model): [number, Kind] => [1, kindOf(`fault, ${model}`, model)]),
  ...FAULTY_MODELS.map((model): [number, Kind] => [
    model === "soak-stall" ? 1 : 2,
    kindOf(`fault, ${model}, stream`, model, { ...streamed, mayEnd: ["whole", "cut"] }),
  ]),
];

/** Evenly mixed: a step that has no factor in common with the number visits each of them once. */
const STEP = 37;
const hundred = shares.flatMap(([count, kind]) => Array.from({ length: count }, () => kind));

export function kindAt(index: number): Kind {
  const kind = hundred[(index * STEP) % hundred.length];
  if (!kind) throw new Error("there are no kinds");
  return kind;
}

/** Whether the last bytes of an answer with status 200 are those of a whole one. */
export function isWholeAnswer({ isStream }: Kind, last: string, bytes: number): boolean {
  if (!isStream) return bytes >= WHOLE_TEXT.length;
  return last.includes("[DONE]") || last.includes("message_stop");
}
