/**
 * Explanations of terms. One box serves all of them. It opens on hover, focus and tap, closes on Escape, and stays
 * within the window. Its position is set here through custom properties; the style sheet applies them.
 */
import { TERMS, type Term } from '../terms.ts';

const GAP = 8;

/** Activates the explanations of all elements with `data-term`. */
export function explainTerms(): void {
  const box = document.createElement('div');
  box.id = 'tip';
  box.setAttribute('role', 'tooltip');
  box.hidden = true;
  document.body.append(box);
  let shown: Element | undefined;

  const hide = (): void => {
    shown?.removeAttribute('aria-describedby');
    shown = undefined;
    box.hidden = true;
  };
  const show = (place: HTMLElement): void => {
    if (place === shown) return;
    hide();
    shown = place;
    box.textContent = TERMS[place.dataset.term as Term];
    box.hidden = false;
    place.setAttribute('aria-describedby', box.id);
    const at = place.getBoundingClientRect();
    const left = Math.min(Math.max(GAP, at.left), innerWidth - box.offsetWidth - GAP);
    const isBelow = at.bottom + box.offsetHeight + 2 * GAP < innerHeight;
    const top = isBelow ? at.bottom + GAP : at.top - box.offsetHeight - GAP;
    box.style.setProperty('--left', `${left}px`);
    box.style.setProperty('--top', `${top}px`);
  };
  const termAt = (event: Event): HTMLElement | undefined =>
    (event.target as Element).closest?.<HTMLElement>('[data-term]') ?? undefined;
  const follow = (event: Event): void => {
    const place = termAt(event);
    if (place !== undefined) show(place);
    else hide();
  };
  for (const kind of ['pointerover', 'focusin', 'click']) document.addEventListener(kind, follow);
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, { capture: true, passive: true });
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && hide());
}
