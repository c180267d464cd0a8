import { beginning, DONE, finishFrame, openStream, restOfText, roleFrame, usageFrame } from "../answers";
import { type Call, EVERYWHERE, type Fault } from "../fault";

const error = { message: "the engine is overloaded", type: "server_error", code: "overloaded" };
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

const shapes: Record<string, string> = {
  '{"error":…}': data({ error }),
  '{"id":…,"error":…}': data({ id: "chatcmpl-fault", object: "chat.completion.chunk", choices: [], error }),
  '{"type":"error",…}': data({ type: "error", error }),
  "event: error": `event: error\n${data(error)}`,
};

const positions: Record<string, (call: Call) => string> = {
  first: () => "",
  "after a comment": () => ": keep-alive\n\n",
  "after the role chunk": roleFrame,
  "in mid-answer": beginning,
};

/** A stream that ends as if nothing had happened. */
const send = (call: Call, text: string): void => {
  openStream(call);
  call.response.end(text + DONE);
};

export const errorEventFaults: Fault[] = [
  ...Object.entries(shapes).flatMap(([shape, event]) =>
    Object.entries(positions).map(
      ([position, before]): Fault => ({
        name: `error event ${shape} ${position}`,
        on: "stream",
        act: (call) => send(call, before(call) + event),
        // In mid-answer it is a cut.
        ...(before === beginning ? {} : { setUps: EVERYWHERE }),
      }),
    ),
  ),
  {
    name: "error event after the finish reason",
    on: "stream",
    act: (call) =>
      send(call, beginning(call) + restOfText(call) + finishFrame(call) + usageFrame(call) + data({ error })),
    isAfterFinish: true,
  },
];
