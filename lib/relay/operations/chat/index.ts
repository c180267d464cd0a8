import { priceUsage } from "@/lib/billing/price";
import { dialects } from "../../dialects";
import type { Operation } from "../operation";
import { readChat } from "./chat-intake";

/** Conversations, in every dialect that clients can speak. */
export const chat: Operation = {
  id: "chat",
  endpoints: [...dialects.values()].flatMap(({ caller }) =>
    caller.paths.map((path) => ({ method: "POST", path, caller })),
  ),
  read: readChat,
  charge: priceUsage,
};
