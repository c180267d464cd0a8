"use client";

import { CodeDialog } from "./code-dialog";
import { toCode } from "./code-samples";
import { type Lane, toWireMessages } from "./conversation";
import type { PlaygroundSettings } from "./settings";

type ChatCodeProps = {
  open: boolean;
  onClose: () => void;
  baseUrl: string;
  lane: Lane;
  settings: PlaygroundSettings;
};

/** The current conversation as sample code. */
export function ChatCode({ open, onClose, baseUrl, lane, settings }: ChatCodeProps) {
  const messages = toWireMessages(lane, settings.system);
  // The sample ends with the user's question, so trailing answers are removed.
  while (messages.at(-1)?.role === "assistant") messages.pop();
  const sample = { baseUrl, model: lane.model, messages, settings };
  return <CodeDialog open={open} onClose={onClose} toCode={(language) => toCode(language, sample)} />;
}
