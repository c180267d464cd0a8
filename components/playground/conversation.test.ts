import { expect, test } from "vitest";
import {
  addLane,
  askAll,
  editQuestion,
  isAnswering,
  LANES_MAX,
  newConversation,
  patchMessage,
  removeLane,
  retryFrom,
  titleOf,
  toWireMessages,
} from "./conversation";

const states = (conversation: ReturnType<typeof newConversation>, lane = 0) =>
  conversation.lanes[lane]?.messages.map(({ role, text, state }) => [role, text, state]);

function answered(conversation: ReturnType<typeof newConversation>, text: string) {
  let next = conversation;
  for (const lane of conversation.lanes)
    for (const message of lane.messages)
      if (message.state === "loading")
        next = patchMessage(next, lane.id, message.id, () => ({ text, state: "complete" }));
  return next;
}

test("a question goes to every lane, with an answer that is awaited (B171)", () => {
  const asked = askAll(newConversation(["a", "b"]), "hello");
  for (const lane of [0, 1])
    expect(states(asked, lane)).toEqual([
      ["user", "hello", "complete"],
      ["assistant", "", "loading"],
    ]);
  expect(isAnswering(asked)).toBe(true);
  expect(isAnswering(answered(asked, "hi"))).toBe(false);
});

test("asking again for an answer takes away what followed it", () => {
  const two = answered(askAll(answered(askAll(newConversation(["a"]), "one"), "1"), "two"), "2");
  const lane = two.lanes[0];
  const again = retryFrom(two, lane?.id ?? "", lane?.messages[1]?.id ?? "");
  expect(states(again)).toEqual([
    ["user", "one", "complete"],
    ["assistant", "", "loading"],
  ]);
});

test("an edited question stands in the place of the earlier one", () => {
  const two = answered(askAll(answered(askAll(newConversation(["a"]), "one"), "1"), "two"), "2");
  const lane = two.lanes[0];
  const edited = editQuestion(two, lane?.id ?? "", lane?.messages[2]?.id ?? "", "three");
  expect(states(edited)?.slice(2)).toEqual([
    ["user", "three", "complete"],
    ["assistant", "", "loading"],
  ]);
});

test("an upstream gets the system prompt first, and neither failed nor awaited answers", () => {
  let conversation = askAll(newConversation(["a"]), "one");
  const lane = conversation.lanes[0];
  conversation = patchMessage(conversation, lane?.id ?? "", lane?.messages[1]?.id ?? "", () => ({
    text: "broken",
    state: "error",
  }));
  conversation = askAll(conversation, "two");
  const [first] = conversation.lanes;
  expect(first && toWireMessages(first, "be brief")).toEqual([
    { role: "system", content: "be brief" },
    { role: "user", content: "one" },
    { role: "user", content: "two" },
  ]);
  expect(first && toWireMessages(first, "  ")[0]?.role).toBe("user");
});

test("lanes have a bound at both ends, and the title is the first question, shortened", () => {
  let conversation = newConversation(["a"]);
  for (let i = 0; i < 9; i++) conversation = addLane(conversation, "b");
  expect(conversation.lanes).toHaveLength(LANES_MAX);
  for (const lane of conversation.lanes) conversation = removeLane(conversation, lane.id);
  expect(conversation.lanes).toHaveLength(1);
  expect(titleOf(askAll(conversation, "x".repeat(200)))).toHaveLength(61);
});
