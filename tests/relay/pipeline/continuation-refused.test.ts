import { expect, test } from "vitest";
import { breaksOff, type Play, reset, SAID, setUpContinuation, TEXT, whole } from "../continuation-harness";

const { asked, addChannels, ask } = setUpContinuation();

const refuses =
  (error: object): Play =>
  (response) =>
    void response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));

test("content that a channel does not allow is not taken to another one (issue 12)", async () => {
  await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", play: refuses({ message: "flagged", code: "content_policy_violation" }) },
    { name: "c", play: whole("openai") },
  ]);
  const { said, faults, log } = await ask("openai");
  expect(said).toBe(SAID.join(""));
  expect(faults).toContain("error");
  expect(log).toMatchObject({ type: 2, other: { outcome: "cut" } });
  expect(asked.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("a request that another channel does not take for a reason of its own goes on to the next (issue 12)", async () => {
  await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", play: refuses({ message: "no such field" }) },
    { name: "c", play: whole("openai") },
  ]);
  const { said, faults } = await ask("openai");
  expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
});
