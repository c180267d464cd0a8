import { beginning, ending, openStream, restOfText, sendJson, wholeBody } from "../answers";
import { type Act, EVERYWHERE, type Fault } from "../fault";

const error = { message: "the engine is overloaded", type: "server_error", code: "overloaded" };
const head = { id: "chatcmpl-fault", object: "chat.completion", created: 1_700_000_000, model: "m" };

const json = (value: object): Act => {
  const text = JSON.stringify(value);
  return (call) => sendJson(call, 200, text);
};

const html = (contentType: string): Act => {
  const page = "<!DOCTYPE html>\n<html><head><title>502</title></head>\n<body>Bad gateway</body></html>\n";
  return ({ response }) => void response.writeHead(200, { "content-type": contentType }).end(page);
};

/** 200 with a body that is no answer, or is one of the other kind. */
export const bodyFaults: Fault[] = [
  { name: '200, {"error":…}', act: json({ error }), setUps: EVERYWHERE },
  { name: '200, {"code":500,"message":…}', act: json({ code: 500, message: "the engine is overloaded" }) },
  { name: '200, {"object":"error",…}', act: json({ object: "error", message: "overloaded", code: 40303 }) },
  { name: '200, {…,"error":…} with the error last', act: json({ ...head, choices: null, usage: null, error }) },
  { name: '200, "choices":[]', act: json({ ...head, choices: [] }), setUps: EVERYWHERE },
  { name: "200, empty body", act: ({ response }) => void response.writeHead(200).end() },
  { name: "200, HTML labelled as SSE", act: html("text/event-stream") },
  { name: "200, HTML labelled as JSON", act: html("application/json"), setUps: EVERYWHERE },
  {
    name: "whole JSON in reply to a stream",
    on: "stream",
    act: (call) => sendJson(call, 200, wholeBody(call)),
    isRescued: true,
    attemptsMax: 1,
  },
  {
    name: "a stream in reply to a whole request",
    on: "whole",
    act: (call) => {
      openStream(call);
      call.response.end(beginning(call) + restOfText(call) + ending(call));
    },
  },
];
