import type { AlertDraft } from "./alert-draft";

/** The props of each part of the form. */
export type PartProps = {
  draft: AlertDraft;
  errors: Record<string, string>;
  onDraft: (draft: AlertDraft) => void;
};
