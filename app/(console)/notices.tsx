import { getLocale } from "next-intl/server";
import { cache } from "react";
import { Announcement } from "@/components/shell/announcement";
import { NoticeCentre } from "@/components/shell/notice-centre";
import { findAnnouncement, listNotices } from "@/lib/notify/queries";
import { getSignedIn } from "./signed-in";

const getAnnouncement = cache(async () => findAnnouncement(await getSignedIn()));

/** Loads what cleans HTML: every page has this layout, and most have no announcement. */
async function operatorText(text: string) {
  const { OperatorText } = await import("@/components/shell/operator-text");
  return <OperatorText text={text} />;
}

/** The bell with the user's messages and the current announcement. */
export async function Notices() {
  const [ctx, locale, announcement] = await Promise.all([getSignedIn(), getLocale(), getAnnouncement()]);
  const { unread, items } = await listNotices(ctx, locale);
  const shown = items.map(({ id, title, content, path, createdAt, read }) => ({
    id,
    title,
    content,
    path,
    created_at: createdAt,
    read,
  }));
  return (
    <NoticeCentre
      key={locale}
      initial={{ unread, items: shown }}
      announcement={announcement ? await operatorText(announcement.text) : undefined}
    />
  );
}

/** The announcement above the page, until the user dismisses it. */
export async function AnnouncementSlot() {
  const announcement = await getAnnouncement();
  if (!announcement || announcement.seen) return null;
  return (
    <Announcement key={announcement.fingerprint} fingerprint={announcement.fingerprint}>
      {await operatorText(announcement.text)}
    </Announcement>
  );
}
