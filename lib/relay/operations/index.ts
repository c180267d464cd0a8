import { chat } from "./chat";
import type { Operation } from "./operation";

/** Everything that callers can ask an upstream for. */
export const operations: readonly Operation[] = [chat];
