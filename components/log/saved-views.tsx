"use client";

import { Bookmark, BookmarkPlus, Pencil, Trash2 } from "lucide-react";
import type { Route } from "next";
import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { toast } from "sonner";
import { filterQuery } from "@/components/data-table/filter-query";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Menu } from "@/components/overlay/menu";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { DropdownMenuItem, DropdownMenuSeparator } from "@/components/ui/dropdown-menu";
import { Link } from "@/components/ui/link";
import { type SavedView, VIEW_NAME_MAX } from "@/lib/usage-log/view-schemas";
import type { LogActions } from "./log-actions";
import { logFilterParams } from "./log-search";
import { ViewNameDialog } from "./view-name-dialog";

type SavedViewsProps = { views: SavedView[]; actions: LogActions };
type Asked =
  | { kind: "save" }
  | { kind: "manage" }
  | { kind: "rename"; view: SavedView }
  | { kind: "delete"; view: SavedView };

const DONE_MS = 1500;

/** The user's saved filters: apply, save, rename and delete. */
export function SavedViews({ views, actions }: SavedViewsProps) {
  const query = filterQuery(useSearchParams(), logFilterParams);
  const [asked, setAsked] = useState<Asked | null>(null);
  return (
    <>
      <ViewsMenu views={views} query={query} onAsk={setAsked} />
      <ManageDialog views={views} open={asked?.kind === "manage"} onAsk={setAsked} />
      <ChangeDialogs views={views} actions={actions} query={query} asked={asked} onAsk={setAsked} />
    </>
  );
}

type OnAsk = (asked: Asked | null) => void;
const MANAGE: Asked = { kind: "manage" };

function ViewsMenu({ views, query, onAsk }: { views: SavedView[]; query: string; onAsk: OnAsk }) {
  const t = useTranslations("log");
  const current = views.find((view) => view.query === query && query !== "");
  const trigger = (
    <Button size="md" className="max-w-56">
      <Bookmark aria-hidden />
      <span className="truncate">{current ? current.name : t("views")}</span>
    </Button>
  );
  return (
    <Menu trigger={trigger} label={t("views")}>
      {views.map((view) => (
        <DropdownMenuItem key={view.id} asChild>
          <Link href={hrefOf(view)}>
            <Bookmark aria-hidden />
            <span className="max-w-60 truncate">{view.name}</span>
          </Link>
        </DropdownMenuItem>
      ))}
      {views.length > 0 ? <DropdownMenuSeparator /> : null}
      <DropdownMenuItem disabled={query === ""} onSelect={() => onAsk({ kind: "save" })}>
        <BookmarkPlus aria-hidden />
        {t("saveView")}
      </DropdownMenuItem>
      {views.length > 0 ? (
        <DropdownMenuItem onSelect={() => onAsk(MANAGE)}>
          <Pencil aria-hidden />
          {t("manageViews")}
        </DropdownMenuItem>
      ) : null}
    </Menu>
  );
}

type ChangeDialogsProps = SavedViewsProps & { query: string; asked: Asked | null; onAsk: OnAsk };

/** The save, rename and delete dialogs. */
function ChangeDialogs({ views, actions, query, asked, onAsk }: ChangeDialogsProps) {
  const t = useTranslations("log");
  const { pending, run } = useRunAction();
  const done = (text: string, next: Asked | null) => () => {
    onAsk(next);
    toast.success(text, { duration: DONE_MS });
  };
  const naming = { max: VIEW_NAME_MAX, pending };
  const save = (name: string) => run(() => actions.saveView({ page: "log", name, query }), done(t("viewSaved"), null));
  if (asked?.kind === "save") {
    return <ViewNameDialog {...naming} title={t("saveView")} start="" onClose={() => onAsk(null)} onName={save} />;
  }
  if (asked?.kind === "rename") {
    const { id, name: start } = asked.view;
    const rename = (name: string) => run(() => actions.renameView({ id, name }), done(t("viewRenamed"), MANAGE));
    return (
      <ViewNameDialog {...naming} title={t("renameView")} start={start} onClose={() => onAsk(MANAGE)} onName={rename} />
    );
  }
  const doomed = asked?.kind === "delete" ? asked.view : null;
  const remove = ({ id }: SavedView) =>
    run(() => actions.deleteView({ id }), done(t("viewDeleted"), views.length > 1 ? MANAGE : null));
  return (
    <ConfirmDialog
      open={doomed !== null}
      onClose={() => onAsk(MANAGE)}
      onConfirm={() => (doomed ? remove(doomed) : undefined)}
      pending={pending}
      title={t("deleteViewTitle", { name: doomed?.name ?? "" })}
      text={t("deleteViewText")}
      confirm={t("deleteView")}
    />
  );
}

function hrefOf({ query }: SavedView): Route {
  // The stored query is untrusted: URLSearchParams ensures that it only becomes the query of /log.
  return `/log?${new URLSearchParams(query)}` as Route;
}

type ManageDialogProps = { views: SavedView[]; open: boolean; onAsk: OnAsk };

function ManageDialog({ views, open, onAsk }: ManageDialogProps) {
  const t = useTranslations("log");
  return (
    <Modal open={open} onClose={() => onAsk(null)} title={t("manageViews")}>
      <ul className="flex flex-col divide-y">
        {views.map((view) => (
          <li key={view.id} className="flex items-center gap-2 py-1.5">
            <span className="min-w-0 flex-1 break-words">{view.name}</span>
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
