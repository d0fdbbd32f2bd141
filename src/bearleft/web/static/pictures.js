// Panoramas over HTTP: decoded pictures are kept, small ones are shown until the large one is there, and those of the next steps are fetched ahead.

const KEPT = 16; // decoded pictures, of at most 8 MB each
const SMALL_WIDTH = 512; // pixels
const LARGE_WIDTH = 2048;
const TRIES = 3;
const WAIT = 1000; // milliseconds before another try

/** Return the address of a panorama. */
export function panoramaUrl(world, place, width) {
  const path = world.split('/').map(encodeURIComponent).join('/');
  return `/api/worlds/${path}/panoramas/${encodeURIComponent(place)}.webp?width=${width}`;
}

async function fetchPicture(url, signal) {
  for (let tries = 1; ; tries += 1) {
    try {
      const response = await fetch(url, { credentials: 'same-origin', signal });
      if (!response.ok) throw Object.assign(new Error(`The server answered ${response.status}.`), { status: response.status });
      return await createImageBitmap(await response.blob());
    } catch (error) {
      const refused = error.status >= 400 && error.status < 500;
      if (refused || signal?.aborted || tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT * tries));
    }
  }
}

/**
 * Return {load, loadPicture, prefetch}. A picture's id is [world, place] as JSON, see `pictureId`.
 *
 * options:
 *   url(world, place, width)  addresses (default: the server's panoramas)
 *   small, large              widths in pixels
 *   kept                      how many decoded pictures are kept
 */
export function createPictures({ url = panoramaUrl, small = SMALL_WIDTH, large = LARGE_WIDTH, kept = KEPT } = {}) {
  const pictures = new Map(); // promises by address, the most recently used last
  const ready = new Set(); // addresses of pictures that are decoded
  let prefetching = null;

  function load(address) {
    const picture = pictures.get(address) ?? fetchPicture(address);
    const isNew = !pictures.has(address);
    pictures.delete(address);
    pictures.set(address, picture);
    if (isNew) {
      picture.then(() => pictures.get(address) === picture && ready.add(address), () => pictures.delete(address));
      while (pictures.size > kept) forgetOldest();
    }
    return picture;
  }
  function forgetOldest() {
    const [oldest] = pictures.keys();
    pictures.delete(oldest);
    ready.delete(oldest);
  }

  return {
    load,
    /** Load a panorama for the viewer: the small one first, if the large one is not there yet. */
    loadPicture(id, preview = () => {}) {
      const [world, place] = JSON.parse(id);
      const largeUrl = url(world, place, large);
      if (!ready.has(largeUrl) && small < large) load(url(world, place, small)).then(preview, () => {});
      return load(largeUrl);
    },
    /** Fetch panoramas ahead, the first ones first: all small ones, then all large ones, one at a time. A later call ends an earlier one. */
    async prefetch(ids) {
      const current = {};
      prefetching = current;
      for (const width of small < large ? [small, large] : [large]) {
        for (const id of ids) {
          if (prefetching !== current) return;
          const [world, place] = JSON.parse(id);
          if (ready.has(url(world, place, large))) continue;
          await load(url(world, place, width)).catch(() => {});
        }
      }
    },
    isReady: (id) => {
      const [world, place] = JSON.parse(id);
      return ready.has(url(world, place, large));
    },
  };
}

/** Return the id of a place's panorama. */
export function pictureId(world, place) {
  return JSON.stringify([world, place]);
}
