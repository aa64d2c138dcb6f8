"""Every format that Rowmill can name, also those that nothing here converts: a pure table."""

from app.formats.family import Format

# A browser may show it inline: never SVG or HTML, which can run things, and PDF only in a viewer
# of its own (app/api/results.py).
SHOWN = True

IMAGES = (
    Format("jpg", "JPEG image", "image/jpeg", ("jpg", "jpeg", "jpe", "jfif"), SHOWN),
    Format("png", "PNG image", "image/png", ("png", "apng"), SHOWN),
    Format("webp", "WebP image", "image/webp", ("webp",), SHOWN),
    Format("avif", "AVIF image", "image/avif", ("avif", "avifs"), SHOWN),
    Format("heic", "HEIC photo", "image/heic", ("heic", "heif", "heics", "hif")),
    Format("heif", "HEIF image with an uncommon codec", "image/heif", ("heif",)),
    Format("tiff", "TIFF image", "image/tiff", ("tiff", "tif")),
    Format("gif", "GIF image", "image/gif", ("gif",), SHOWN),
    Format("bmp", "Windows bitmap", "image/bmp", ("bmp", "dib"), SHOWN),
    Format("ico", "Windows icon", "image/vnd.microsoft.icon", ("ico",), SHOWN),
    Format("cur", "Windows cursor", "image/vnd.microsoft.icon", ("cur",)),
    Format("svg", "SVG drawing", "image/svg+xml", ("svg",)),
    Format("jp2", "JPEG 2000 image", "image/jp2", ("jp2", "j2k", "jpf", "jpx", "j2c")),
    Format("jxl", "JPEG XL image", "image/jxl", ("jxl",)),
    Format("psd", "Photoshop image", "image/vnd.adobe.photoshop", ("psd", "psb")),
    Format("xcf", "GIMP image", "image/x-xcf", ("xcf",)),
    Format("tga", "Targa image", "image/x-tga", ("tga",)),
    Format("qoi", "QOI image", "image/qoi", ("qoi",)),
    Format("pnm", "PNM image", "image/x-portable-anymap", ("pnm", "ppm", "pgm", "pbm")),
    Format("dds", "DirectDraw texture", "image/vnd.ms-dds", ("dds",)),
    Format("exr", "OpenEXR image", "image/x-exr", ("exr",)),
    Format("hdr", "Radiance image", "image/vnd.radiance", ("hdr",)),
    Format("icns", "macOS icon", "image/icns", ("icns",)),
    Format("wmf", "Windows metafile", "image/wmf", ("wmf",)),
    Format("emf", "Windows enhanced metafile", "image/emf", ("emf",)),
    Format("dng", "DNG camera raw photo", "image/x-adobe-dng", ("dng",)),
    Format(
        "raw",
        "camera raw photo",
        "application/octet-stream",
        ("cr2", "cr3", "nef", "nrw", "arw", "orf", "rw2", "raf", "pef", "srw"),
    ),
)

MEDIA = (
    Format("mp4", "MP4 film", "video/mp4", ("mp4", "m4v"), SHOWN),
    Format("mov", "QuickTime film", "video/quicktime", ("mov", "qt")),
    Format("3gp", "3GP film", "video/3gpp", ("3gp", "3g2", "3gpp")),
    Format("mkv", "Matroska film", "video/matroska", ("mkv", "mka", "mk3d")),
    Format("webm", "WebM film", "video/webm", ("webm", "weba"), SHOWN),
    Format("avi", "AVI film", "video/x-msvideo", ("avi",)),
    Format("wmv", "Windows Media film", "video/x-ms-wmv", ("wmv", "asf")),
    Format("flv", "Flash film", "video/x-flv", ("flv",)),
    Format("mpg", "MPEG film", "video/mpeg", ("mpg", "mpeg", "vob")),
    Format("ts", "MPEG transport stream", "video/mp2t", ("ts", "mts", "m2ts")),
    Format("ogv", "Ogg film", "video/ogg", ("ogv",), SHOWN),
    Format("mp3", "MP3 sound", "audio/mpeg", ("mp3", "mp2", "mpga"), SHOWN),
    Format("m4a", "M4A sound", "audio/mp4", ("m4a", "m4b", "m4p"), SHOWN),
    Format("aac", "AAC sound", "audio/aac", ("aac",), SHOWN),
    Format("wav", "WAV sound", "audio/wav", ("wav", "wave"), SHOWN),
    Format("flac", "FLAC sound", "audio/flac", ("flac",), SHOWN),
    Format("ogg", "Ogg sound", "audio/ogg", ("ogg", "oga", "spx"), SHOWN),
    Format("opus", "Opus sound", "audio/ogg", ("opus", "ogg"), SHOWN),
    Format("aiff", "AIFF sound", "audio/aiff", ("aiff", "aif", "aifc")),
    Format("wma", "Windows Media sound", "audio/x-ms-wma", ("wma",)),
    Format("amr", "AMR sound", "audio/amr", ("amr",)),
    Format("midi", "MIDI music", "audio/midi", ("midi", "mid")),
)

DOCUMENTS = (
    Format("pdf", "PDF document", "application/pdf", ("pdf",)),
    Format("ps", "PostScript document", "application/postscript", ("ps",)),
    Format("eps", "Encapsulated PostScript", "application/postscript", ("eps",)),
    Format("djvu", "DjVu document", "image/vnd.djvu", ("djvu", "djv")),
    Format(
        "docx",
        "Word document",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ("docx", "docm", "dotx", "dotm"),
    ),
    Format("doc", "Word 97-2003 document", "application/msword", ("doc", "dot")),
    Format(
        "xlsx",
        "Excel workbook",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ("xlsx", "xlsm", "xltx", "xltm"),
    ),
    Format(
        "xlsb",
        "Excel binary workbook",
        "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
        ("xlsb",),
    ),
    Format("xls", "Excel 97-2003 workbook", "application/vnd.ms-excel", ("xls", "xlt")),
    Format(
        "pptx",
        "PowerPoint presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ("pptx", "pptm", "ppsx", "potx"),
    ),
    Format(
        "ppt",
        "PowerPoint 97-2003 presentation",
        "application/vnd.ms-powerpoint",
        ("ppt", "pps", "pot"),
    ),
    Format("visio", "Visio drawing", "application/vnd.visio", ("vsdx", "vsd")),
    Format("msg", "Outlook message", "application/vnd.ms-outlook", ("msg",)),
    Format(
        "encrypted-office",
        "Office document protected by a password",
        "application/encrypted",
        ("docx", "xlsx", "pptx", "docm", "xlsm", "pptm", "xlsb"),
    ),
    Format("ole", "older Microsoft Office file", "application/x-ole-storage", ()),
    Format("odt", "OpenDocument text", "application/vnd.oasis.opendocument.text", ("odt", "ott")),
    Format(
        "ods",
        "OpenDocument spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet",
        ("ods", "ots"),
    ),
    Format(
        "odp",
        "OpenDocument presentation",
        "application/vnd.oasis.opendocument.presentation",
        ("odp", "otp"),
    ),
    Format(
        "odg", "OpenDocument drawing", "application/vnd.oasis.opendocument.graphics", ("odg", "otg")
    ),
    Format(
        "iwork",
        "Apple Pages, Numbers or Keynote document",
        "application/x-iwork",
        ("pages", "numbers", "key"),
    ),
    Format("epub", "EPUB book", "application/epub+zip", ("epub",)),
    Format("mobi", "Kindle book", "application/x-mobipocket-ebook", ("mobi", "azw", "azw3")),
    Format("fb2", "FictionBook", "application/x-fictionbook+xml", ("fb2",)),
    Format("rtf", "Rich Text document", "application/rtf", ("rtf",)),
    Format("html", "web page", "text/html", ("html", "htm", "xhtml")),
    Format("md", "Markdown text", "text/markdown", ("md", "markdown", "mkd")),
    Format("rst", "reStructuredText", "text/x-rst", ("rst",)),
    Format("org", "Org text", "text/org", ("org",)),
    Format("tex", "LaTeX document", "text/x-tex", ("tex", "latex", "ltx")),
    Format("ipynb", "Jupyter notebook", "application/x-ipynb+json", ("ipynb",)),
    Format("txt", "plain text", "text/plain", ("txt", "text", "log"), SHOWN),
    Format(
        "rough-text",
        "text with control characters, or in UTF-16 without its mark",
        "application/octet-stream",
        (),
    ),
)

TABLES = (
    Format("csv", "CSV table", "text/csv", ("csv",)),
    Format("tsv", "TSV table", "text/tab-separated-values", ("tsv", "tab")),
    Format("json", "JSON data", "application/json", ("json", "geojson")),
    Format("ndjson", "JSON lines", "application/x-ndjson", ("ndjson", "jsonl")),
    Format("xml", "XML data", "application/xml", ("xml",)),
    Format("parquet", "Parquet table", "application/vnd.apache.parquet", ("parquet",)),
    Format(
        "arrow", "Arrow table", "application/vnd.apache.arrow.file", ("arrow", "feather", "ipc")
    ),
    Format("feather", "Feather 1 table", "application/octet-stream", ("feather",)),
    Format("sqlite", "SQLite database", "application/vnd.sqlite3", ("sqlite", "sqlite3")),
)

OTHERS = (
    Format("zip", "ZIP archive", "application/zip", ("zip", "cbz", "jar", "kmz")),
    Format("gz", "gzip archive", "application/gzip", ("gz", "tgz", "svgz")),
    Format("bz2", "bzip2 archive", "application/x-bzip2", ("bz2",)),
    Format("xz", "xz archive", "application/x-xz", ("xz",)),
    Format("zst", "Zstandard archive", "application/zstd", ("zst",)),
    Format("7z", "7-Zip archive", "application/x-7z-compressed", ("7z",)),
    Format("rar", "RAR archive", "application/vnd.rar", ("rar", "cbr")),
    Format("tar", "tar archive", "application/x-tar", ("tar",)),
    Format("ttf", "TrueType font", "font/ttf", ("ttf", "ttc")),
    Format("otf", "OpenType font", "font/otf", ("otf",)),
    Format("woff", "web font", "font/woff", ("woff",)),
    Format("woff2", "web font", "font/woff2", ("woff2",)),
    Format("exe", "Windows program", "application/vnd.microsoft.portable-executable", ("exe",)),
    Format("elf", "Linux program", "application/x-elf", ()),
)

# Small texts that make a media program open other files or addresses. They have a name so that
# they can be refused by it; nothing may ever convert them.
PLAYLISTS = (
    Format(
        "m3u8",
        "playlist that points to other files",
        "application/vnd.apple.mpegurl",
        ("m3u8", "m3u"),
    ),
    Format("ffconcat", "script that joins other files", "text/plain", ("ffconcat",)),
    Format("sdp", "description of a network stream", "application/sdp", ("sdp",)),
    Format("mpd", "playlist that points to other files", "application/dash+xml", ("mpd",)),
    Format("pls", "playlist that points to other files", "audio/x-scpls", ("pls", "asx", "smil")),
)

KNOWN = (*IMAGES, *MEDIA, *DOCUMENTS, *TABLES, *OTHERS, *PLAYLISTS)
NEVER = frozenset(playlist.name for playlist in PLAYLISTS)
