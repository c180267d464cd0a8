import { setTimeout as delay } from "node:timers/promises";
import {
  beginning,
  ending,
  finishFrame,
  openStream,
  restOfText,
  roleFrame,
  sendPart,
  usageFrame,
  wholeBody,
  write,
} from "../answers";
import { type Act, type Call, EVERYWHERE, type Fault } from "../fault";

/** Lets what was written be sent before the connection ends. */
const settleMs = 50;

/** Sends a part of the answer, then closes the connection. */
const cut =
  (how: "FIN" | "RST", streamed?: (call: Call) => string): Act =>
  async (call) => {
    await sendPart(call, streamed?.(call));
    await delay(settleMs);
    if (how === "FIN") call.request.socket.destroy();
    else call.request.socket.resetAndDestroy();
  };

/** Ends a response as HTTP wants it, whatever is missing in it. */
const endClean =
  (streamed: (call: Call) => string, isWhole = false): Act =>
  (call) => {
    if (call.isStream) {
      openStream(call);
      return void call.response.end(streamed(call));
    }
    call.response.writeHead(200, { "content-type": "application/json" });
    const text = wholeBody(call);
    call.response.end(isWhole ? text : text.slice(0, text.length / 2));
  };

const partialLine = (call: Call): string => beginning(call) + finishFrame(call).slice(0, 40);

const unparsable = (call: Call): string =>
  `${beginning(call)}data: {"id":"chatcmpl-fault","choices":[{"ind\n\n${restOfText(call)}${ending(call)}`;

const OVERSIZED_BYTES = 12 * 1_048_576;

const oversized =
  (before: (call: Call) => string): Act =>
  async (call) => {
    openStream(call);
    await write(call, `${before(call)}data: {"x":"${"x".repeat(OVERSIZED_BYTES)}"}\n\n`);
    call.response.end(restOfText(call) + ending(call));
  };

export const cutFaults: Fault[] = [
  { name: "closed (FIN) in mid-answer", act: cut("FIN"), setUps: EVERYWHERE, hasBegun: true },
  { name: "reset (RST) in mid-answer", act: cut("RST") },
  { name: "closed (FIN) after the role chunk", on: "stream", act: cut("FIN", roleFrame), setUps: EVERYWHERE },
  { name: "reset (RST) after the role chunk", on: "stream", act: cut("RST", roleFrame) },
  { name: "clean end in mid-answer", act: endClean(beginning) },
  { name: "clean end after the role chunk", on: "stream", act: endClean(roleFrame), setUps: EVERYWHERE },
  { name: "partial last line", on: "stream", act: endClean(partialLine) },
  {
    name: "finish reason, no [DONE], clean end",
    on: "stream",
    act: endClean((call) => beginning(call) + restOfText(call) + finishFrame(call) + usageFrame(call)),
    isRescued: true,
  },
  { name: "unparsable event in mid-stream", on: "stream", act: endClean(unparsable), isRescued: true },
  { name: "line of 12 MB in mid-stream", on: "stream", act: oversized(beginning) },
  { name: "line of 12 MB at the start", on: "stream", act: oversized(() => "") },
];
