"use client";

import { Database, History, Trash2, Wallet, Zap } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Menu } from "@/components/overlay/menu";
import { Button } from "@/components/ui/button";
import { DropdownMenuItem, DropdownMenuSeparator } from "@/components/ui/dropdown-menu";
import { toast } from "@/components/ui/toast";
import { deleteDisabled, fixChannels, startTestRun, updateBalances } from "./actions";
import { BulkHistory } from "./bulk-history";
import { TestRunDialog } from "./test-run-dialog";

export type BalanceRun = { updated: number; failed: { id: number; name: string; message: string }[] };

type Asked = "test" | "balances" | "disabled" | "fix";
const SAID_MS = 3000;

type Entry = { id: Asked; icon: ReactNode; label: string; text: string; danger: boolean; start: () => void };

/** The entries of the menu, with the question before each and the toast after it. */
function useEntries(onTestRun: () => void): { entries: Entry[]; pending: boolean } {
  const t = useTranslations("channel");
  const { pending, run } = useRunAction();
  const sayBalances = useSayBalances();
  const said = (text: string) => toast.success(text, { duration: SAID_MS });
  const entries: Entry[] = [
    {
      id: "test",
      icon: <Zap aria-hidden />,
      label: t("testAll"),
      text: t("testAllText"),
      danger: false,
      start: () => run(() => startTestRun({}), onTestRun),
    },
    {
      id: "balances",
      icon: <Wallet aria-hidden />,
      label: t("updateBalances"),
      text: t("updateBalancesText"),
      danger: false,
      start: () => run(() => updateBalances({}), sayBalances),
    },
    {
      id: "fix",
      icon: <Database aria-hidden />,
      label: t("fix"),
      text: t("fixText"),
      danger: false,
      start: () =>
        run(
          () => fixChannels({}),
          (count) => said(t("fixed", { count })),
        ),
    },
    {
      id: "disabled",
      icon: <Trash2 aria-hidden />,
      label: t("deleteDisabled"),
      text: t("deleteDisabledText"),
      danger: true,
      start: () =>
        run(
          () => deleteDisabled({}),
          (count) => said(t("deletedDisabled", { count })),
        ),
    },
  ];
  return { entries, pending };
}

/** Actions on all channels. */
export function ChannelMenu() {
  const t = useTranslations("channel");
  const [asked, setAsked] = useState<Asked | null>(null);
  const [shown, setShown] = useState<"run" | "history" | null>(null);
  const { entries, pending } = useEntries(() => setShown("run"));
  const close = () => setAsked(null);
  const question = entries.find(({ id }) => id === asked);
  const onConfirm = () => {
    question?.start();
    close();
  };
  return (
    <>
      <Menu
        label={t("allChannels")}
        trigger={
          <Button size="md" pending={pending}>
            {t("allChannels")}
          </Button>
        }
      >
        {entries.map((entry) => (
          <DropdownMenuItem
            key={entry.id}
            variant={entry.danger ? "destructive" : "default"}
            onSelect={() => setAsked(entry.id)}
          >
            {entry.icon}
            {entry.label}
          </DropdownMenuItem>
        ))}
        <DropdownMenuSeparator />
        <DropdownMenuItem onSelect={() => setShown("run")}>
          <Zap aria-hidden />
          {t("testRunLast")}
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={() => setShown("history")}>
          <History aria-hidden />
          {t("bulkHistory")}
        </DropdownMenuItem>
      </Menu>
      <ConfirmDialog
        open={asked !== null}
        onClose={close}
        onConfirm={onConfirm}
        pending={pending}
        title={question ? t("sure", { what: question.label }) : ""}
        text={question?.text ?? ""}
        confirm={question?.label ?? ""}
        danger={question?.danger ?? false}
      />
      {shown === "run" ? <TestRunDialog onClose={() => setShown(null)} /> : null}
      {shown === "history" ? <BulkHistory onClose={() => setShown(null)} /> : null}
    </>
  );
}

function useSayBalances(): (run: BalanceRun) => void {
  const t = useTranslations("channel");
  return ({ updated, failed }) => {
    if (updated > 0 || failed.length === 0)
      toast.success(t("balancesUpdated", { count: updated }), { duration: SAID_MS });
    if (failed.length === 0) return;
    const lines = failed.slice(0, 5).map(({ id, name, message }) => `#${id} ${name}: ${message}`);
    toast.warning(t("balancesFailed", { count: failed.length }), { duration: 10_000, description: lines.join("\n") });
  };
}
