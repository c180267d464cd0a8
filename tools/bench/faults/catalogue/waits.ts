import { setTimeout as delay } from "node:timers/promises";
import {
  answer,
  beginning,
  contentFrames,
  ending,
  openStream,
  restOfText,
  roleFrame,
  sendPart,
  wholeBody,
  write,
} from "../answers";
import { type Call, EVERYWHERE, type Fault, type SetUp, type Times } from "../fault";

/** Later than the first-token limit, but before the idle limit. */
const lateMs = (times: Times): number => times.firstTokenMs + 600;

async function answerLate(call: Call): Promise<void> {
  const { response, times } = call;
  if (call.isStream) openStream(call);
  else response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
  await delay(lateMs(times));
  if (!call.isStream) return void response.end(wholeBody(call));
  response.end(roleFrame(call) + contentFrames(call).join("") + ending(call));
}

/** Sends comments until the gateway closes the connection. */
async function comment(call: Call): Promise<void> {
  while (!call.response.destroyed) {
    call.response.write(": keep-alive\n\n");
    await delay(call.times.firstTokenMs / 4);
  }
}

async function onlyComments(call: Call): Promise<void> {
  openStream(call);
  await comment(call);
}

async function commentsAfterText(call: Call): Promise<void> {
  await sendPart(call);
  await comment(call);
}

async function commentsBeforeText(call: Call): Promise<void> {
  openStream(call);
  await write(call, ": OPENROUTER PROCESSING\n\n");
  call.response.end(beginning(call) + restOfText(call) + ending(call));
}

async function doneAndOpen(call: Call): Promise<void> {
  openStream(call);
  await write(call, beginning(call) + restOfText(call) + ending(call));
}

/** Moves on at the first-token limit where there is another candidate, else waits longer. */
const firstTokenOrAlone = (times: Times, setUp: SetUp): number =>
  setUp === "one" ? times.aloneMs : times.firstTokenMs;

const STALL_MS = 30_000;

async function stall(call: Call): Promise<void> {
  await delay(STALL_MS, undefined, { ref: false });
  if (!call.response.destroyed) answer(call);
}

async function stallAfterHeaders(call: Call): Promise<void> {
  openStream(call);
  await delay(STALL_MS, undefined, { ref: false });
  if (!call.response.destroyed) call.response.end(beginning(call) + restOfText(call) + ending(call));
}

const idle: Fault["waitMs"] = (times) => times.idleMs;

export const waitFaults: Fault[] = [
  {
    name: "accepted and never answered",
    act: () => {},
    isSilent: true,
    attemptsMax: 1,
    setUps: EVERYWHERE,
    waitMs: (times, setUp, isStream) => (setUp === "one" && !isStream ? times.aloneMs : times.firstByteMs),
  },
  {
    name: "headers at once, first token late",
    act: answerLate,
    isRescued: true,
    attemptsMax: 1,
    setUps: EVERYWHERE,
    waitMs: (times, setUp, isStream) => (isStream && setUp !== "one" ? times.firstTokenMs : lateMs(times)),
  },
  {
    name: "comments only",
    on: "stream",
    act: onlyComments,
    isSilent: true,
    attemptsMax: 1,
    setUps: EVERYWHERE,
    waitMs: firstTokenOrAlone,
  },
  {
    name: "role chunk, then silence",
    on: "stream",
    act: (call) => sendPart(call, roleFrame(call)),
    isSilent: true,
    attemptsMax: 1,
    setUps: EVERYWHERE,
    waitMs: firstTokenOrAlone,
  },
  { name: "silent in mid-answer", act: (call) => sendPart(call), attemptsMax: 1, waitMs: idle },
  { name: "comments only in mid-answer", on: "stream", act: commentsAfterText, attemptsMax: 1, waitMs: idle },
  { name: "a comment before the answer", on: "stream", act: commentsBeforeText, isRescued: true, attemptsMax: 1 },
  { name: "[DONE] with the socket left open", on: "stream", act: doneAndOpen, isRescued: true, attemptsMax: 1 },
  {
    name: "a crowd, and no token for 30 s",
    on: "stream",
    act: stallAfterHeaders,
    isCrowd: true,
    attemptsMax: 1,
    setUps: ["two"],
    waitMs: (times) => times.firstTokenMs,
  },
  {
    name: "a crowd, and no headers for 30 s",
    on: "stream",
    act: stall,
    isCrowd: true,
    attemptsMax: 1,
    setUps: ["two"],
    waitMs: (times) => times.firstByteMs,
  },
  { name: "no fault", act: answer, isRescued: true, attemptsMax: 1, isSound: true },
];
