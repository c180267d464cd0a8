"use client";

import {
  AtSign,
  BellRing,
  Bird,
  Building2,
  Gamepad2,
  type LucideIcon,
  MessageCircle,
  MessageSquare,
  Send,
  Server,
  Webhook,
} from "lucide-react";
import { useTranslations } from "next-intl";
import type { TargetKind } from "@/lib/notify/target-kinds";

const ICONS: Record<TargetKind, LucideIcon> = {
  email: AtSign,
  webhook: Webhook,
  wxpusher: MessageCircle,
  bark: BellRing,
  gotify: Server,
  dingtalk: MessageSquare,
  feishu: Bird,
  wecom: Building2,
  telegram: Send,
  discord: Gamepad2,
};

export function KindIcon({ kind }: { kind: TargetKind }) {
  const Icon = ICONS[kind];
  return (
    <span className="grid size-9 shrink-0 place-items-center rounded-md bg-muted text-muted-foreground">
      <Icon className="size-4.5" aria-hidden />
    </span>
  );
}

/** Label and hint of a field. A test, not the type, checks that every field of every kind has both. */
export function useFieldText(kind: TargetKind) {
  const t = useTranslations("notify.field") as unknown as (key: string) => string;
  return (name: string) => ({ label: t(`${kind}.${name}.label`), hint: t(`${kind}.${name}.hint`) });
}
