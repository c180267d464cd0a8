import type { PriceRow } from "@/lib/billing/types";
import { type AnswerEnd, askPlayground } from "./ask";
import { type ChatMessage, isRunning, type Lane, toWireMessages } from "./conversation";
import { toFigures } from "./figures";
import { type PlaygroundSettings, toRequestBody } from "./settings";
import type { Explain } from "./use-explain";

/** Interval of screen updates: a fast stream would otherwise render for every token. */
const PAINT_MS = 40;

export type AnswerNeeds = {
  userId: number;
  /** Message shown when there was no response. */
  networkFailure: string;
  /** Message shown when the session has ended and the user did not sign in again. */
  signedOut: string;
  explain: Explain;
  settings: PlaygroundSettings;
  priceOf: (model: string) => { price: PriceRow | null; groupRatio: number };
};

type Patch = (change: (message: ChatMessage) => Partial<ChatMessage>) => void;

/** Requests the answer to a lane's last question and patches it in while it streams. */
export async function runAnswer(lane: Lane, needs: AnswerNeeds, signal: AbortSignal, patch: Patch): Promise<void> {
  const { settings, userId, priceOf, networkFailure, signedOut, explain } = needs;
  const messages = toWireMessages(lane, settings.system);
  const timing = startTiming();
  const painter = startPainter((text) => patch((message) => ({ text: message.text + text, state: "incomplete" })));
  const onText = (text: string) => {
    timing.onText();
    painter.add(text);
  };
  const body = toRequestBody(settings, lane.model, messages);
  const end = await askPlayground({ body, userId, signal, onText }).catch((): AnswerEnd | null => null);
  painter.flush();
  const texts = { prompt: messages.map(({ content }) => content).join("\n"), answer: painter.all() };
  const usage = end && end.kind !== "signed-out" ? end.usage : null;
  const figures = () => toFigures(usage, texts, priceOf(lane.model), timing.read());
  if (signal.aborted) patch(() => ({ state: "complete", stopped: true, figures: figures() }));
  else if (end === null) patch((message) => failed(message, networkFailure));
  else if (end.kind === "signed-out") patch((message) => failed(message, signedOut));
  else if (end.kind === "error") patch((message) => failed(message, explain(end.code, end.message)));
  else patch(() => ({ state: "complete", figures: figures() }));
}

/** Keeps the text received before the failure and appends the error message (B270). */
function failed(message: ChatMessage, reason: string): Partial<ChatMessage> {
  if (!isRunning(message)) return {};
  return { state: "error", text: message.text === "" ? reason : `${message.text}\n\n${reason}` };
}

function startTiming() {
  const startedAt = performance.now();
  let firstAt: number | null = null;
  return {
    onText: () => {
      firstAt ??= performance.now();
    },
    read: () => ({
      totalMs: Math.round(performance.now() - startedAt),
      firstTokenMs: firstAt === null ? null : Math.round(firstAt - startedAt),
    }),
  };
}

/** Buffers text and passes it on every PAINT_MS. */
function startPainter(paint: (text: string) => void) {
  let waiting = "";
  let all = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== "") paint(waiting);
    waiting = "";
  };
  return {
    add: (text: string) => {
      waiting += text;
      all += text;
      timer ??= setTimeout(flush, PAINT_MS);
    },
    flush,
    all: () => all,
  };
}
