import { setTimeout as delay } from "node:timers/promises";
import { answer, openStream, wholeBody } from "../answers";
import { type Act, type Call, EVERYWHERE, type Fault } from "../fault";

const reset: Act = ({ request }) => void request.socket.resetAndDestroy();
const close: Act = ({ request }) => void request.socket.destroy();

const once =
  (act: Act): Act =>
  (call) =>
    call.nth > 1 ? answer(call) : act(call);

async function closeAfterHeaders(call: Call): Promise<void> {
  if (call.isStream) openStream(call);
  else {
    const length = Buffer.byteLength(wholeBody(call));
    call.response.writeHead(200, { "content-type": "application/json", "content-length": length }).flushHeaders();
  }
  // Lets the headers be sent on their own.
  await delay(50);
  call.request.socket.destroy();
}

async function closeAfterWork(call: Call): Promise<void> {
  await delay(call.times.workMs);
  call.request.socket.destroy();
}

const workMs: Fault["waitMs"] = (times) => times.workMs;

export const connectionFaults: Fault[] = [
  { name: "reset before headers, once", act: once(reset), isRescued: true },
  { name: "reset before headers, for ever", act: reset, setUps: EVERYWHERE },
  { name: "reset on a reused connection, once", act: once(reset), isRescued: true, isWarm: true },
  { name: "closed on a reused connection, once", act: once(close), isRescued: true, isWarm: true },
  // The reused connection, and then as often as any channel that cannot be reached.
  { name: "closed on a reused connection, for ever", act: close, isWarm: true, attemptsMax: 3 },
  { name: "closes after headers, reused connection", act: closeAfterHeaders, isWarm: true },
  { name: "closes after headers", act: closeAfterHeaders, setUps: EVERYWHERE },
  // The upstream may have done the work, so the same request is not sent to it again.
  {
    name: "closes after seconds of work, reused connection",
    act: closeAfterWork,
    attemptsMax: 1,
    isWarm: true,
    waitMs: workMs,
  },
  {
    name: "closes after seconds of work",
    act: closeAfterWork,
    attemptsMax: 1,
    setUps: EVERYWHERE,
    waitMs: workMs,
  },
  {
    name: "connection refused",
    act: answer,
    setUps: EVERYWHERE,
    address: () => "http://127.0.0.1:1",
    counts: "log",
  },
  {
    name: "name not found (DNS)",
    act: answer,
    setUps: EVERYWHERE,
    address: () => "http://name.invalid",
    counts: "log",
  },
  {
    name: "TLS failure",
    act: answer,
    setUps: EVERYWHERE,
    address: (url) => url.replace("http:", "https:"),
    counts: "connections",
  },
];
