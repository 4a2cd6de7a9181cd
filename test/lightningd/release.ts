/** Releases of Core Lightning, `vYY.MM`, in order. */

/** Releases in which answers of the stand-in changed. */
export const RELEASES = ['v25.02', 'v25.05', 'v25.09', 'v25.12', 'v26.04', 'v26.06'] as const;
export type Release = (typeof RELEASES)[number];

/** Whether the first release is at least as new as the second. */
export const isSince = (release: string, first: string): boolean => release >= first;
