"use client";

import { Pencil, Star, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import type { SavedView } from "@/lib/saved-view/types";

/** Which dialog of the saved views is open. */
export type AskedOfViews =
  | { kind: "save" }
  | { kind: "manage" }
  | { kind: "rename"; view: SavedView }
  | { kind: "delete"; view: SavedView };

type SavedViewListProps = {
  views: SavedView[];
  open: boolean;
  onAsk: (asked: AskedOfViews | null) => void;
  onDefault: (view: SavedView) => void;
};

/** The saved views with what can be done with each. */
export function SavedViewList({ views, open, onAsk, onDefault }: SavedViewListProps) {
  const t = useTranslations("list");
  return (
    <Modal open={open} onClose={() => onAsk(null)} title={t("manageViews")}>
      <ul className="flex flex-col divide-y">
        {views.map((view) => (
          <li key={view.id} className="flex items-center gap-2 py-1.5">
            <span dir="auto" className="min-w-0 flex-1 break-words">
              {view.name}
            </span>
            <Button
              variant="ghost"
              size="icon"
              aria-pressed={view.isDefault}
              aria-label={`${t("defaultView")}: ${view.name}`}
              title={view.isDefault ? t("noDefaultView") : t("defaultView")}
              onClick={() => onDefault(view)}
            >
              <Star className={cn(view.isDefault && "fill-current text-primary")} />
            </Button>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`${t("renameView")}: ${view.name}`}
              onClick={() => onAsk({ kind: "rename", view })}
            >
              <Pencil />
            </Button>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`${t("deleteView")}: ${view.name}`}
              onClick={() => onAsk({ kind: "delete", view })}
            >
              <Trash2 />
            </Button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
