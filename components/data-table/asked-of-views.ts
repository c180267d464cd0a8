import type { SavedView } from "@/lib/saved-view/types";

/** Which dialog of the saved views is open. */
export type AskedOfViews =
  | { kind: "save" }
  | { kind: "manage" }
  | { kind: "rename"; view: SavedView }
  | { kind: "delete"; view: SavedView };
